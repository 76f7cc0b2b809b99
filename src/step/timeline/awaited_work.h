// What a moment of a step waited for: the chain of operations behind it.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "step/graph.h"
#include "trainyard/step_timeline.h"

namespace trainyard {

struct Execution;
struct StepModel;

/// What the time until an operation's end consists of: the chain of operations, each of which was the last
/// thing that the next one waited for, back from `to` until `from`. While a transfer of a chain runs beside
/// compute of its own stage, it counts as compute, but for what goes to another stage; while it stands still
/// because a device is gone, or because it stands for time that a program loses, too.
std::array<StepTime, kStepWorks> awaited_work(const StepModel& model, const Execution& execution,
                                              OperationId to, StepTime from);

/// The transfers of awaited_work().
ExposedTimes awaited_transfers(const StepModel& model, const Execution& execution, OperationId to,
                               StepTime from);

/// The same for every stage of a step, whose chains soon run together: what they share is summed once.
class AwaitedChains {
 public:
  /// Both have to outlive it.
  AwaitedChains(const StepModel& model, const Execution& execution);

  /// awaited_transfers() from the beginning.
  ExposedTimes transfers_until(OperationId to);
  /// awaited_transfers() of the operation that ends the step, from a moment before its end.
  ExposedTimes transfers_to_the_end(StepTime from);

 private:
  using Works = std::array<StepTime, kStepWorks>;
  /// An operation of a chain, and the replica class that waits there.
  struct Link {
    OperationId id = 0;
    std::int32_t replica = 0;
  };

  Works until(OperationId to);
  /// Until an operation begins.
  Works before(Link link);

  const StepModel& model_;
  const Execution& run_;
  std::vector<Link> to_the_end_;                  // from the last operation back
  Works whole_{};                                 // of to_the_end_
  std::unordered_map<OperationId, Works> known_;  // before operations of a replica's own streams
};

}  // namespace trainyard
