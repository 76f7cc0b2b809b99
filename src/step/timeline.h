// A simulated step in detail, and the networks under it.
#pragma once

#include <functional>
#include <memory>

#include "step/build_step.h"
#include "step/executor.h"
#include "step/transfer_model.h"
#include "trainyard/step.h"

namespace trainyard {

struct Plan;

/// Of a simulated step: the graph, and when everything happened.
struct StepDetail {
  StepModel model;
  Execution execution;
};

/// Makes the network that a graph's transfers go through.
using TransferModelMaker =
    std::function<std::unique_ptr<TransferModel>(const StepModel& model, const Plan& plan)>;

/// The closed forms of the plan's networks.
TransferModelMaker analytic_network();

/// Simulates a step over this network. Throws InputError as build_step() and execute() do.
StepSimulation simulate_step(const Plan& plan, const TransferModelMaker& network);

}  // namespace trainyard
