// A mapping and its networks into communication and the times of a training step.
#pragma once

#include "base/memo.h"
#include "cost/compute_times.h"
#include "cost/step_effort.h"
#include "parallel/stages.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/step.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/units.h"

namespace trainyard {

struct CostCase;
struct MappingPlan;

/// What the layers of a mapping cost, whatever its pipeline and its replicas.
struct LayerCosts {
  LayerTimes usual;
  LayerTimes dense;  // as `usual` where all layers are of one kind
  Seconds forward;   // of `usual`, before it waits for offloading
  EndTimes ends;     // whole
  LayerTraffic traffic;
};
LayerCosts layer_costs(const CostCase& costs, const MappingPlan& mapping);

/// Volumes, times and peers of everything that is sent for one layer and microbatch.
CommunicationPlan plan_communication(const CostCase& costs, const MappingPlan& mapping,
                                     const LayerCosts& layer);

/// Times of a step by both rules, utilization, and the length of the training run. By `bound` what is played
/// takes the least that it can.
StepTimes step_times(const CostCase& costs, const MappingPlan& mapping,
                     const CommunicationPlan& communication, const LayerCosts& layer,
                     const StageRanges& stages, StepEffort effort = StepEffort::whole);

/// Times of many mappings of one scenario: what few counts settle is computed once.
class StepTables {
 public:
  /// The case must outlive it.
  explicit StepTables(const CostCase& costs) : costs_(costs) {}

  /// step_times() of a mapping, to the last bit.
  StepTimes times(const MappingPlan& mapping, const StageRanges& stages,
                  StepEffort effort = StepEffort::whole);

 private:
  struct Exchange {
    GradientExchange kind = GradientExchange::flat;
    Seconds pipelined;
    ExchangePhases phases;
  };
  const LayerCosts& layer_of(const MappingPlan& mapping);
  Exchange exchange_of(const MappingPlan& mapping, const LayerTimes& layer);

  const CostCase& costs_;
  Memo<15, LayerCosts> layers_;
  Memo<14, Exchange> exchanges_;
  CommunicationPlan communication_;  // of the mapping under way, without what only describes it
};

}  // namespace trainyard
