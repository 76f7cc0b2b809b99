// What a step's graph is built for: [step] of the scenario and, where it leaves something open, what follows
// from the plan.
#pragma once

#include <cstdint>

#include "trainyard/scenario/step.h"

namespace trainyard {
struct LayerPass;
struct Plan;
struct ScheduleShape;
}  // namespace trainyard

namespace trainyard::builder {

struct Settings {
  PipelineSchedule schedule{};
  GradientOverlap overlap = GradientOverlap::bucketed;
  ExchangeEvery every = ExchangeEvery::batch;
  bool gathers_anew = false;            // a microbatch's first gather waits for the one before it
  bool gather_after_optimizer = false;  // ZeRO 1 and 2: the exchange's all-gathers carry updated weights
  bool gathers_ahead = false;           // and arrive beside the next step's first forward passes
  bool shares_gathers = false;          // ZeRO 3: gathers and scatters take turns on one communicator
  bool embedding_exchange = false;
  bool gradient_norm = false;
  double tensor_overlap = 0;  // share of tensor-parallel transfers beside their layer's compute
  std::int64_t prefetch = 1;  // passes through layers by which weights are gathered ahead
  bool offload = false;
  double offloaded = 0;  // share of the layers whose activations go to the host beside each pass
  std::int64_t layers_per_operation = 1;
};

/// Throws InputError, at the key of the scenario, for settings that contradict each other or ask for what the
/// plan does not have.
Settings settings_of(const Plan& plan, const LayerPass& costs);

/// Throws InputError where the schedule does not take the mapping, or has more passes than are simulated.
ScheduleShape checked_shape(const Plan& plan, PipelineSchedule schedule);

/// Costs with a ring all-reduce as its two passes, where the optimizer stands between them.
LayerPass split_ring(LayerPass costs, const Plan& plan);

}  // namespace trainyard::builder
