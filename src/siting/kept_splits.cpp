#include "siting/kept_splits.h"

#include <algorithm>

namespace trainyard {

FoundSplit found_split(const PlaceSet& set, const SetCosts& costs) {
  FoundSplit out;
  out.places.assign(set.at.begin(), set.at.begin() + static_cast<std::ptrdiff_t>(set.size));
  out.power.assign(costs.power.begin(), costs.power.begin() + static_cast<std::ptrdiff_t>(set.size));
  out.rtt = costs.rtt;
  out.cost = costs.cost;
  out.fibre_cost = costs.fibre_cost;
  out.co2 = costs.co2;
  return out;
}

std::vector<FoundSplit> KeptSplits::found(const std::vector<Kept>& kept) {
  std::vector<FoundSplit> out;
  for (const Kept& k : kept) out.push_back(found_split(k.set, k.costs));
  return out;
}

std::vector<FoundSplit> KeptSplits::front() const {
  std::vector<Kept> sorted = front_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Kept& a, const Kept& b) { return a.costs.rtt < b.costs.rtt; });
  return found(sorted);
}

double KeptSplits::goal_of(const SetCosts& costs, double longest) const {
  switch (q_.goal) {
    case SplitGoal::round_trip:
      return longest;
    case SplitGoal::cost:
      return costs.cost.count();
    case SplitGoal::carbon:
      return costs.co2.count();
    case SplitGoal::training_time:
      return costs.slowdown;
    case SplitGoal::training_cost: {
      const UsdPerYear energy = (costs.cost - costs.fibre_cost) * q_.training->power_ratio;
      return costs.slowdown * (energy + costs.fibre_cost + q_.training->capital).count();
    }
  }
  return longest;
}

void KeptSplits::keep_best(const Kept& kept) {
  if (best_.size() == q_.wanted && (q_.wanted == 0 || kept.goal >= best_.back().goal)) return;
  const auto place = std::upper_bound(best_.begin(), best_.end(), kept,
                                      [](const Kept& a, const Kept& b) { return a.goal < b.goal; });
  best_.insert(place, kept);
  if (best_.size() > q_.wanted) best_.pop_back();
  if (best_.size() == q_.wanted && q_.goal == SplitGoal::round_trip) bound_ = best_.back().goal.first;
}

/// The time of training is asked for only where it can matter: nothing is quicker than a hidden exchange.
void KeptSplits::keep_front(Kept kept) {
  bool known = by_training(q_.goal) || !q_.training;
  for (const Kept& other : front_) {
    if (!dominates(other.costs, kept.costs)) continue;
    if (!known && other.costs.slowdown > 1) {
      kept.costs.slowdown = costs_.slowdown(kept.set, kept.costs);
      known = true;
    }
    if (other.costs.slowdown <= kept.costs.slowdown) return;
  }
  if (!known) kept.costs.slowdown = costs_.slowdown(kept.set, kept.costs);
  std::erase_if(front_, [&](const Kept& other) {
    return dominates(kept.costs, other.costs) && kept.costs.slowdown <= other.costs.slowdown;
  });
  front_.push_back(kept);
}

}  // namespace trainyard
