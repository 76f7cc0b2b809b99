// What a moment of a step waited for: the chain of operations behind it.
#pragma once

#include <array>

#include "step/graph.h"
#include "trainyard/step_timeline.h"

namespace trainyard {

struct Execution;
struct StepModel;

/// What the time until an operation's end consists of: the chain of operations, each of which was the last
/// thing that the next one waited for, back from `to` until `from`. While a transfer of a chain runs beside
/// compute of its own stage, it counts as compute, but for what goes to another stage; while it stands still
/// because a device is gone, too.
std::array<StepTime, kStepWorks> awaited_work(const StepModel& model, const Execution& execution,
                                              OperationId to, StepTime from);

/// The transfers of awaited_work().
ExposedTimes awaited_transfers(const StepModel& model, const Execution& execution, OperationId to,
                               StepTime from);

}  // namespace trainyard
