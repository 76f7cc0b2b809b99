// The splits that a search keeps: the best ones by the goal, and those that none is better than.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "siting/split_costs.h"
#include "siting/splits.h"
#include "trainyard/site_input.h"

namespace trainyard {

/// Whether a goal needs the time of training.
constexpr bool by_training(SplitGoal goal) {
  return goal == SplitGoal::training_time || goal == SplitGoal::training_cost;
}

FoundSplit found_split(const PlaceSet& set, const SetCosts& costs);

/// Both arguments have to outlive it.
class KeptSplits {
 public:
  KeptSplits(const SplitCosts& costs, const SplitQuestion& question) : costs_(costs), q_(question) {}

  /// `longest`: the set's longest side.
  void add_to_best(const PlaceSet& set, const SetCosts& costs, double longest) {
    keep_best({set, costs, {goal_of(costs, longest), longest}});
  }
  void add_to_front(const PlaceSet& set, const SetCosts& costs) { keep_front({set, costs, {}}); }

  /// Longest side that can still be among the best by round trip.
  double bound() const { return bound_; }

  /// By the goal, then by the round trip.
  std::vector<FoundSplit> best() const { return found(best_); }
  /// By round trip.
  std::vector<FoundSplit> front() const;

 private:
  struct Kept {
    PlaceSet set;
    SetCosts costs;
    std::pair<double, double> goal;  // then the round trip
  };

  double goal_of(const SetCosts& costs, double longest) const;
  void keep_best(const Kept& kept);
  void keep_front(Kept kept);
  static std::vector<FoundSplit> found(const std::vector<Kept>& kept);

  const SplitCosts& costs_;
  const SplitQuestion& q_;
  double bound_ = 1e300;
  std::vector<Kept> best_;
  std::vector<Kept> front_;
};

}  // namespace trainyard
