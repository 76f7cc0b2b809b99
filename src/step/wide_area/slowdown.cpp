#include <algorithm>
#include <cmath>
#include <limits>

#include "step/wide_area.h"
#include "step/wide_area/exchanges.h"
#include "step/wide_area/site_step.h"
#include "step/wide_area/transfers.h"
#include "trainyard/plan.h"

namespace trainyard {

using namespace between_sites;

namespace {

/// Of a ring over all sites, beside the few microseconds that other exchanges take.
double effort_of_orders(const WideAreaInput& w, std::int64_t sites) {
  constexpr double kOrdersOfFew = 6;
  const bool ring = w.exchange == WideAreaExchange::ring || sites % w.region_sites != 0;
  return std::max(kOrdersOfFew, ring ? std::tgamma(real(sites)) : 0) / kOrdersOfFew;
}

}  // namespace

SiteSlowdown::SiteSlowdown(const Plan& plan, BitRate rate)
    : plan_(plan),
      rate_(rate),
      step_(std::make_shared<const SiteStep>(plan)),
      undisturbed_(step_->batch(step_->undisturbed())) {
  const std::int64_t sites = plan.mapping.datacenters;
  for (const StagedSum& sum : step_->sums()) add_known(sum.between);
  // A ring sends as much as a scatter, in more rounds, and is at least as long as there and back between its
  // farthest sites.
  known_is_all_ = sites < 2 || !known_.front().direct.empty() || known_.front().tree;
  if (!known_is_all_) effort_ = effort_of_orders(plan.scenario.wide_area, sites);
}

void SiteSlowdown::add_known(Bytes between) {
  const std::int64_t sites = plan_.mapping.datacenters;
  const Delays together(static_cast<std::size_t>(sites),
                        std::vector<Seconds>(static_cast<std::size_t>(sites)));
  const WideAreaExchange wanted = plan_.scenario.wide_area.exchange;
  Known& known = known_.emplace_back();
  for (const SiteExchange& exchange : {all_pairs(together), scatter(together)}) {
    if (wanted != exchange.kind && wanted != WideAreaExchange::best) continue;
    const Transfer t = transfer_of(plan_, exchange, together, {between});
    const double rounds = real(t.exchange.rounds);
    known.direct.push_back({t.sent / byte_rate(rate_), rounds * (1 + 2 * t.repeats)});
  }
  // A tree of three has a root that sends to both others.
  if (wanted == WideAreaExchange::tree || (wanted == WideAreaExchange::best && sites > 3)) {
    const Transfer t = transfer_of(plan_, tree(together), together, {between});
    known.tree = {t.sent / byte_rate(rate_), real(t.exchange.rounds) * 2 * t.repeats};
  }
}

Seconds SiteSlowdown::time_of(const Known& known, const Delays& delays, double unevenness) const {
  const Seconds delay = longest(delays);
  Seconds time(std::numeric_limits<double>::infinity());
  for (const Direct& d : known.direct) time = std::min(time, d.even * unevenness + d.delays * delay);
  if (!known.tree) return time;
  const Seconds sending = known.tree->even * unevenness + known.tree->delays * delay;
  // No tree is quicker than once the longest link: two ways down from its root join any two sites.
  return sending + delay < time ? std::min(time, sending + tree(delays).delay) : time;
}

double SiteSlowdown::at(const Delays& delays, double least_share) const {
  if (!holds_a_copy(plan_, least_share)) return std::numeric_limits<double>::infinity();
  if (known_.empty()) return 1;
  const double unevenness = 1 / (real(plan_.mapping.datacenters) * least_share);
  Seconds layer(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Seconds time = time_of(known_[i], delays, unevenness);
    layer = std::min(layer, SiteStep::pipelined(step_->sums()[i], time));
  }
  const Seconds batch = step_->batch(layer);
  if (known_is_all_ || batch == undisturbed_) return batch / undisturbed_;
  return sites_point(plan_, rate_, delays, least_share).step / undisturbed_;
}

}  // namespace trainyard
