// What stages wait for from each other: first operations of passes for what the chunk before them sends.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/schedules.h"
#include "step/graph.h"

namespace trainyard::builder {

struct Lane;
struct Pass;

/// The way of a chunk's output: to the next depth, or of its gradient to the one before.
enum class Way : std::uint8_t { forward, backward };

/// Of one step at a time. Sends and waits are noted in any order, then joined.
class Arrivals {
 public:
  /// The order has to outlive it.
  Arrivals(const ScheduleOrder& order, const ScheduleShape& shape, std::size_t replica_classes);

  void begin_step();

  /// A first operation of a pass, which begins when its input is there.
  void await(const Pass& pass, OperationId first);

  /// What arrives at the chunk of a depth.
  void sent(Way way, const Lane& from, std::int32_t microbatch, std::int32_t depth, OperationId id);

  /// Lets every first operation wait for what it has to.
  void join(StepGraph& graph) const;

 private:
  struct Awaited {
    OperationId by;
    Way way;
    std::size_t chunk;
  };

  std::size_t chunk(std::int32_t replica, std::int32_t microbatch, std::int32_t depth) const;
  std::vector<OperationId>& of(Way way) { return way == Way::forward ? forward_ : backward_; }

  const ScheduleOrder& order_;
  ScheduleShape shape_;
  std::size_t chunks_;
  std::vector<OperationId> forward_;  // by replica class, microbatch and depth
  std::vector<OperationId> backward_;
  std::vector<Awaited> awaited_;
};

}  // namespace trainyard::builder
