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

ExchangePhases SiteSlowdown::quickest(std::size_t sum, const Delays& delays, double unevenness) const {
  const Seconds delay = longest(delays);
  const Known& known = known_[sum];
  std::optional<ExchangePhases> best;
  const auto with = [&](const Direct& d, Seconds waiting) {
    const Seconds light = std::isinf(d.delays) ? Seconds(d.delays) : d.delays * delay;
    return SiteStep::with(step_->sums()[sum], d.even * unevenness, light + waiting);
  };
  const auto keep = [&](const ExchangePhases& layer) {
    if (!best || step_->length(layer) < step_->length(*best)) best = layer;
  };
  for (const Direct& d : known.direct) keep(with(d, Seconds(0)));
  // No tree is quicker than once the longest link: two ways down from its root join any two sites.
  if (known.tree && (!best || step_->length(with(*known.tree, delay)) < step_->length(*best)))
    keep(with(*known.tree, tree(delays).delay));
  if (best) return *best;
  constexpr Seconds kUnknown{std::numeric_limits<double>::infinity()};
  return SiteStep::with(step_->sums()[sum], Seconds(0), kUnknown);
}

double SiteSlowdown::at(const Delays& delays, double least_share) const {
  if (!holds_a_copy(plan_, least_share)) return std::numeric_limits<double>::infinity();
  if (known_.empty()) return 1;
  const double unevenness = 1 / (real(plan_.mapping.datacenters) * least_share);
  ExchangePhases layer = quickest(0, delays, unevenness);
  for (std::size_t i = 1; i < known_.size(); ++i) {
    const ExchangePhases other = quickest(i, delays, unevenness);
    if (step_->length(other) < step_->length(layer)) layer = other;
  }
  const Seconds batch = step_->batch(layer);
  if (known_is_all_ || batch == undisturbed_) return batch / undisturbed_;
  return sites_point(plan_, rate_, delays, least_share).step / undisturbed_;
}

}  // namespace trainyard
