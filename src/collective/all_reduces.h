// The registry of all-reduces: one record each, in a file of its own under all_reduces/.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/collective_cost.h"
#include "collective/schedule.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/traffic.h"

namespace trainyard {

/// One algorithm. No field has a default: the build refuses a record that leaves one out.
struct AllReduceAlgorithm {
  /// Of an all-reduce over n > 1 ranks.
  CollectiveCost (*all_reduce)(std::int64_t ranks);
  /// Of one pass of it, a reduce-scatter or an all-gather, over n > 1 ranks.
  CollectiveCost (*pass)(std::int64_t ranks);
  /// Whether `best` may stand for it.
  bool among_best;
  /// As which pattern a traffic matrix counts what its ranks send.
  TrafficPattern traffic;
  /// What engines can send of it; none where there is nothing for ranks alone to send.
  std::vector<CollectiveSchedule> schedules;
};

struct RegisteredAllReduce {
  AllReduce name;
  const AllReduceAlgorithm* algorithm;
};

/// All of trainyard/registries/all_reduces.def, in its order.
const std::vector<RegisteredAllReduce>& all_reduces();

/// `best` is none: it stands for another one at a size (algorithm_for, collective.h).
const AllReduceAlgorithm& all_reduce_of(AllReduce name);

/// The records themselves.
namespace all_reduce {
#define TRAINYARD_ALL_REDUCE(name, ...) const AllReduceAlgorithm& name();
#include "trainyard/registries/all_reduces.def"
}  // namespace all_reduce

}  // namespace trainyard
