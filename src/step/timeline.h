// `trainyard step`: a training step simulated, and what its timeline says.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "step/build_step.h"
#include "step/executor.h"
#include "trainyard/step_timeline.h"

namespace trainyard {

/// A simulated step: the graph, when everything happened, and the summary.
struct StepSimulation {
  StepModel model;
  Execution execution;
  StepTimeline timeline;
};

/// Makes the network that a graph's transfers go through.
using TransferModelMaker =
    std::function<std::unique_ptr<TransferModel>(const StepModel& model, const Plan& plan)>;

/// The closed forms of the plan's networks.
TransferModelMaker analytic_network();

/// Simulates a step of a plan. Throws InputError as build_step() and execute() do.
StepSimulation simulate_step(const Plan& plan, const TransferModelMaker& network = analytic_network());

/// What the time until an operation's end consists of: the chain of operations, each of which was the last
/// thing that the next one waited for, back from `to` until `from`. While a transfer of a chain runs beside
/// compute of its own stage, it counts as compute, but for what goes to another stage; while it stands still
/// because a device is gone, too.
std::array<StepTime, kStepWorks> awaited_work(const StepModel& model, const Execution& execution,
                                              OperationId to, StepTime from);

}  // namespace trainyard
