// What a step waits for of the transfers between its stages.
#pragma once

#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct CommunicationPlan;
struct CostCase;
struct MappingPlan;

struct StageSends {
  Seconds each;  // of a microbatch, at the pace of the slowest stage
  Seconds fill;  // of a step besides
};

/// Where passes are not played. `fill_share`: part of fill and drain that the schedule leaves.
StageSends stage_sends(const CostCase& costs, const MappingPlan& mapping,
                       const CommunicationPlan& communication, double fill_share);

/// Of one microbatch, from each stage to the next; from the last one to the first.
std::vector<Seconds> sends_between(const CostCase& costs, const MappingPlan& mapping,
                                   const CommunicationPlan& communication);

}  // namespace trainyard
