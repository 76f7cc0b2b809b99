// What a step waits for while replicas exchange gradients and weights.
#pragma once

namespace trainyard {

class MeasuredCollectives;
struct CommunicationPlan;
struct CostCase;
struct MappingPlan;
struct StepTimes;

/// Gradients are summed once a batch, and weights gathered where their optimizer is divided: sets what of it
/// `step`, whose passes stand, waits for, in a batch and as a part of every layer and microbatch.
/// `weight`: the part of a layer's backward pass that makes its gradients.
/// `collectives`: where a calibration times them; may be null.
void add_exchange(StepTimes& step, const CostCase& costs, const MappingPlan& mapping,
                  const CommunicationPlan& communication, Seconds weight,
                  const MeasuredCollectives* collectives);

}  // namespace trainyard
