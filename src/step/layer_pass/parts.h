// What the costs of a layer's passes are put together from, one kind of cost a function.
#pragma once

#include <optional>

#include "cost/cost_case.h"
#include "step/layer_pass.h"
#include "trainyard/networks.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/step_timeline.h"
#include "trainyard/units.h"

namespace trainyard {
struct Plan;
}  // namespace trainyard

namespace trainyard::layer_costs {

/// A plan as its passes see it. The plan has to outlive it.
struct PassCase {
  explicit PassCase(const Plan& of);

  /// At the pace of the slowest server.
  Seconds slow(Seconds time) const;

  const NetworkRate& rate(StepResource network) const;

  /// With the share of the network's rate at which the transfer takes this time at the slowest server's pace.
  PassTransfer timed(PassTransfer transfer, Seconds time) const;

  const Plan& plan;
  const MappingPlan& mapping;
  const CommunicationPlan& communication;
  CostCase costs;
  bool measured;  // with the constants of a calibration
};

StepResource resource_of(NetworkLevel network);

/// Times of computing, and what a layer keeps in memory.
void add_compute(LayerPass& out, const PassCase& c);

/// Transfers of a layer: tensor, context and expert parallelism.
void add_tensor(LayerPass& out, const PassCase& c);
void add_context(LayerPass& out, const PassCase& c);
void add_expert(LayerPass& out, const PassCase& c);

/// Transfers between stages and between replicas.
void add_pipeline(LayerPass& out, const PassCase& c);
void add_weights(LayerPass& out, const PassCase& c);
void add_exchange(LayerPass& out, const PassCase& c);

/// Sums that a step ends with.
void add_end_sums(LayerPass& out, const PassCase& c);

/// Habits of the training program that calibrated times know. After everything else.
void add_habits(LayerPass& out, const PassCase& c);

}  // namespace trainyard::layer_costs
