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

/// `fill_share`: part of fill and drain that the schedule leaves. `backward`: of a microbatch on a stage.
///
/// On the longest path through 1F1B's passes, alike on all stages. Stages that wait until their output has
/// left send twice for a microbatch and chunk, but the path goes round some of these. Where they compute on,
/// interleaved stages hide all but the way of the first microbatch through all chunks and that of the last
/// back; others have as many microbatches under way as there are stages, so that each takes its part of the
/// way there and back.
StageSends stage_sends(const CostCase& costs, const MappingPlan& mapping,
                       const CommunicationPlan& communication, double fill_share, Seconds backward);

/// Of one microbatch, from each stage to the next.
std::vector<Seconds> sends_between(const CostCase& costs, const MappingPlan& mapping,
                                   const CommunicationPlan& communication);

}  // namespace trainyard
