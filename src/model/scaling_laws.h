// Scaling laws: how large a model, trained on how many tokens, has the least loss.
#pragma once

#include "trainyard/units.h"

namespace trainyard {

enum class Precision;
enum class ScalingLaw;
struct FacilityPlan;
struct LawPoint;
struct ModelPlan;
struct ScalingPlan;
struct TrainingInput;

/// Loss-optimal parameters and tokens for a compute budget (FLOP), with the predicted loss where the law
/// gives one. Sources and coefficients: src/model/scaling_laws.cpp.
LawPoint loss_optimal(ScalingLaw law, Flop compute);

/// Tokens for which a model of this size is loss-optimal by a Hoffmann law (the inverse of the above).
double optimal_tokens(ScalingLaw law, double parameters);

/// Compute that makes this size loss-optimal.
Flop compute_for_parameters(ScalingLaw law, double parameters);

/// Scaling laws for the datacenter's compute.
ScalingPlan plan_scaling(const TrainingInput& training, Precision compute, const FacilityPlan& facility,
                         const ModelPlan& model);

}  // namespace trainyard
