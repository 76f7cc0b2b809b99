// The registry of all-reduces: one record each, in a file of its own under all_reduces/.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/schedule.h"

namespace trainyard {

enum class AllReduce;
enum class ChosenBy;
enum class TrafficPattern;
struct CollectiveCost;

/// Where constants that were measured with the rings of libraries stand for an algorithm.
enum class MeasuredRings {
  nowhere,
  in_known_groups,  // of sizes that were measured
  everywhere,
};

/// One algorithm. No field has a default: the build refuses a record that leaves one out.
struct AllReduceAlgorithm {
  /// Of an all-reduce over n > 1 ranks.
  CollectiveCost (*all_reduce)(std::int64_t ranks);
  /// Of one pass of it, a reduce-scatter or an all-gather, over n > 1 ranks.
  CollectiveCost (*pass)(std::int64_t ranks);
  /// As which pattern a traffic matrix counts what its ranks send.
  TrafficPattern traffic;
  MeasuredRings measured_rings;
  /// Whether every rank sends to its neighbours in one ring alone, which circuits can hold.
  bool is_ring;
  /// What engines can send of it; none where there is nothing for ranks alone to send.
  std::vector<CollectiveSchedule> schedules;
};

struct RegisteredAllReduce {
  AllReduce name;
  const AllReduceAlgorithm* algorithm;
  ChosenBy chosen_by;
};

/// All of trainyard/registries/all_reduces.def, in its order.
const std::vector<RegisteredAllReduce>& all_reduces();

/// `best` is none: it stands for another one at a size (algorithm_for, collective.h).
const AllReduceAlgorithm& all_reduce_of(AllReduce name);

/// Whether constants that were measured with rings give its time, in a group of a size that was measured or
/// not; never that of `best`.
bool measured_rings_stand_for(AllReduce name, bool known_group);

}  // namespace trainyard
