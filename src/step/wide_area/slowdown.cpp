#include <algorithm>
#include <cmath>
#include <limits>

#include "step/wide_area.h"
#include "step/wide_area/exchanges.h"
#include "step/wide_area/site_step.h"
#include "step/wide_area/transfers.h"

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
      undisturbed_(step_->batch(Seconds(0))) {
  const std::int64_t sites = plan.mapping.datacenters;
  const Delays together(static_cast<std::size_t>(sites),
                        std::vector<Seconds>(static_cast<std::size_t>(sites)));
  const WideAreaExchange wanted = plan.scenario.wide_area.exchange;
  for (const SiteExchange& exchange : {all_pairs(together), scatter(together)}) {
    if (sites < 2 || (wanted != exchange.kind && wanted != WideAreaExchange::best)) continue;
    const Transfer t = transfer_of(plan, exchange, together, {step_->stage().bytes});
    const double rounds = real(t.exchange.rounds);
    direct_.push_back({t.sent / byte_rate(rate), rounds * (1 + 2 * t.repeats)});
  }
  // A tree of three has a root that sends to both others.
  if (wanted == WideAreaExchange::tree || (wanted == WideAreaExchange::best && sites > 3)) {
    const Transfer t = transfer_of(plan, tree(together), together, {step_->stage().bytes});
    tree_ = {t.sent / byte_rate(rate), real(t.exchange.rounds) * 2 * t.repeats};
  }
  // A ring sends as much as a scatter, in more rounds, and is at least as long as there and back between its
  // farthest sites.
  known_is_all_ = !direct_.empty() || tree_;
  if (!known_is_all_) effort_ = effort_of_orders(plan.scenario.wide_area, sites);
}

double SiteSlowdown::at(const Delays& delays, double least_share) const {
  if (!holds_a_copy(plan_, least_share)) return std::numeric_limits<double>::infinity();
  const Seconds delay = longest(delays);
  const double unevenness = 1 / (real(plan_.mapping.datacenters) * least_share);
  Seconds time(std::numeric_limits<double>::infinity());
  for (const Direct& d : direct_) time = std::min(time, d.even * unevenness + d.delays * delay);
  if (tree_) {
    const Seconds sending = tree_->even * unevenness + tree_->delays * delay;
    // No tree is quicker than once the longest link: two ways down from its root join any two sites.
    if (sending + delay < time) time = std::min(time, sending + tree(delays).delay);
  }
  const Seconds batch = step_->batch(time);
  if (known_is_all_ || batch == undisturbed_) return batch / undisturbed_;
  return sites_point(plan_, rate_, delays, least_share).step / undisturbed_;
}

}  // namespace trainyard
