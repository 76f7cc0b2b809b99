// What the replicas of a stage exchange once a step, by measured constants.
#pragma once

#include <cstdint>

#include "cost/cost.h"
#include "cost/measured_collectives.h"

namespace trainyard {

/// Layers of a stage by kind: those that most layers are like, and in a mixture those without experts.
struct StageLayers {
  std::int64_t usual = 0;
  std::int64_t dense = 0;
};

/// Layers are dealt evenly; where they do not divide, the first stages take one more. Layers without experts
/// come first.
StageLayers stage_layers(const ModelShape& shape, std::int64_t pipeline, std::int64_t stage);

/// Parameters that a device holds and trains, experts apart.
struct HeldParameters {
  double common = 0;
  double experts = 0;
};

/// Of a device of a stage, embedding and output matrix included; with low-rank adapters those alone.
HeldParameters held_parameters(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                               std::int64_t stage);
/// Of one layer.
HeldParameters held_by_layer(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                             LayerKind kind);

/// One ring over the replicas of so many bytes a parameter.
Seconds exchange_time(const MeasuredCollectives& collectives, const HeldParameters& held, double bytes,
                      double share);

/// Number format in which gradients are exchanged: the scenario's; else that of the training program where
/// times are calibrated; else bf16.
Precision exchanged_gradients(const Scenario& scenario);

}  // namespace trainyard
