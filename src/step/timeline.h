// `trainyard step`: a training step simulated, and what its timeline says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "step/build_step.h"
#include "step/executor.h"
#include "step/timeline/awaited_work.h"
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

}  // namespace trainyard
