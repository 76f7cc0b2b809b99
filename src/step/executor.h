// Executes a step's graph: when every operation starts and ends, and what it waited for last.
#pragma once

#include <vector>

#include "step/graph.h"
#include "step/step_failures.h"

namespace trainyard {

class TransferModel;

/// When everything happened. An operation starts at the very moment at which the last thing that it waits for
/// is over; `waited_for` is that thing, kNoOperation at the beginning.
struct Execution {
  std::vector<StepTime> start;
  std::vector<StepTime> freed;  // its stream
  std::vector<StepTime> finish;
  std::vector<OperationId> waited_for;
  StepTime end = 0;
};

/// Runs a sealed graph: an operation starts as soon as its dependencies are over and its stream is free and
/// has come to it. Computing stands still while its device has failed; transfers are the model's.
/// Deterministic. Throws InputError when the step takes longer than kLongestStep or an operation never ends,
/// at the failure that it waits for in vain.
Execution execute(const StepGraph& graph, TransferModel& transfers,
                  const StepFailures& failures = no_step_failures());

}  // namespace trainyard
