// What a step waits for while replicas exchange gradients and weights.
#pragma once

#include "cost/step_effort.h"

namespace trainyard {

class MeasuredCollectives;
struct CommunicationPlan;
struct CostCase;
struct LayerCosts;
struct MappingPlan;
struct StepTimes;

/// Gradients are summed once a batch, and weights gathered where their optimizer is divided: sets what of it
/// `step`, whose passes stand, waits for, in a batch and as a part of every layer and microbatch.
/// `collectives`: where a calibration times them; may be null.
void add_exchange(StepTimes& step, const CostCase& costs, const MappingPlan& mapping,
                  const CommunicationPlan& communication, const LayerCosts& layer,
                  const MeasuredCollectives* collectives, StepEffort effort);

}  // namespace trainyard
