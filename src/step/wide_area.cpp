#include "step/wide_area.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "facility/site_delays.h"
#include "step/wide_area/exchanges.h"
#include "step/wide_area/site_step.h"
#include "step/wide_area/transfers.h"
#include "trainyard/units.h"

namespace trainyard {

using namespace between_sites;

namespace {

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
  const Chunk chunk{step.stage().bytes, 1 / (real(out.sites) * least_share)};
  out.longest_rtt = 2 * longest(delays);
  out.chunk = chunk.even * chunk.unevenness;
  if (out.sites > 1) {
    const std::vector<Transfer> all = transfers_of(plan, delays, chunk);
    const Transfer& transfer = *std::min_element(
        all.begin(), all.end(),
        [&](const Transfer& a, const Transfer& b) { return time_of(a, rate) < time_of(b, rate); });
    out.exchange = transfer.exchange;
    out.sent = transfer.sent;
    out.repeats = transfer.repeats;
    out.time = time_of(transfer, rate);
    out.hiding_rate = hiding_rate(all, plan.step.backward);
  }
  out.exposed = step.exposed(out.time);
  out.added = out.exposed - step.exposed(Seconds(0));
  out.exposed_share = step.exposed_share(out.time);
  out.step = step.batch(out.time);
  out.added_share = std::isinf(out.step.si()) ? 1 : (out.step - step.batch(Seconds(0))) / out.step;
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
