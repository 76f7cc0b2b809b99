#include "step/wide_area.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/errors.h"
#include "facility/site_delays.h"
#include "step/wide_area/exchanges.h"
#include "step/wide_area/site_step.h"
#include "step/wide_area/transfers.h"
#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

using namespace between_sites;

namespace {

/// A plan's sum of gradients with a way to do it between sites.
struct SumOverSites {
  Chunk chunk;
  Transfer transfer;
  Seconds time;          // between sites
  ExchangePhases layer;  // with the other stages
  Seconds length;        // of that
};

/// The one that a step waits for least; of several, the one that keeps the wide area busy the shortest.
class SumsOverSites {
 public:
  SumsOverSites(const Plan& plan, const SiteStep& step, BitRate rate, const Delays& delays,
                double least_share) {
    const double unevenness = 1 / (real(plan.mapping.datacenters) * least_share);
    for (const StagedSum& sum : step.sums()) {
      const Chunk chunk{sum.between, unevenness};
      const std::vector<Transfer> all = transfers_of(plan, delays, chunk);
      for (const Transfer& transfer : all) {
        const Seconds time = time_of(transfer, rate);
        const ExchangePhases layer = SiteStep::with(sum, time_of_bytes(transfer, rate), transfer.waiting);
        const SumOverSites one{chunk, transfer, time, layer, step.length(layer)};
        if (!best_ || one.length < best_->length || (one.length == best_->length && one.time < best_->time))
          best_ = one;
      }
      const auto patience = step.patience(sum);
      if (!patience) continue;
      const auto hiding = hiding_rate(all, *patience, step.waits_by_layer());
      if (hiding && (!hiding_rate_ || *hiding < *hiding_rate_)) hiding_rate_ = hiding;
    }
  }

  const SumOverSites& best() const { return *best_; }
  std::optional<BitRate> least_rate() const { return hiding_rate_; }

 private:
  std::optional<SumOverSites> best_;
  std::optional<BitRate> hiding_rate_;
};

/// Infinite times where the exchange never ends.
SitesPoint point_of(const Plan& plan, BitRate rate, const Delays& delays, double least_share) {
  const SiteStep step(plan);
  SitesPoint out;
  out.sites = plan.mapping.datacenters;
  TY_ASSERT(std::ssize(delays) == out.sites, "a delay for every site");
  if (!holds_a_copy(plan, least_share)) {
    out.infeasible = "the smallest site does not hold one copy of the model";
    return out;
  }
  out.longest_rtt = 2 * longest(delays);
  ExchangePhases layer = step.undisturbed();
  if (out.sites > 1) {
    const SumsOverSites exchanges(plan, step, rate, delays, least_share);
    const SumOverSites& best = exchanges.best();
    out.chunk = best.chunk.even * best.chunk.unevenness;
    out.exchange = best.transfer.exchange;
    out.sent = best.transfer.sent;
    out.repeats = best.transfer.repeats;
    out.time = best.time;
    out.hiding_rate = exchanges.least_rate();
    layer = best.layer;
  }
  out.exposed = step.exposed(layer);
  out.added = out.exposed - step.exposed(step.undisturbed());
  out.exposed_share = step.exposed_share(layer);
  out.step = step.batch(layer);
  out.added_share = std::isinf(out.step.si()) ? 1 : (out.step - step.batch(step.undisturbed())) / out.step;
  return out;
}

}  // namespace

SitesPoint sites_point(const Plan& plan, BitRate rate) {
  const std::int64_t sites = plan.mapping.datacenters;
  return point_of(plan, rate, site_delays(plan.scenario, sites), 1 / real(sites));
}

SitesPoint sites_point(const Plan& plan, BitRate rate, const Delays& delays, double least_share) {
  SitesPoint out = point_of(plan, rate, delays, least_share);
  if (std::isinf(out.step.si())) out.infeasible = "the exchange between sites never ends";
  return out;
}

}  // namespace trainyard
