// A pipeline as its passes are played.
#pragma once

#include <vector>

#include "cost/played_passes.h"
#include "trainyard/units.h"

namespace trainyard {

struct CommunicationPlan;
struct CostCase;
struct LayerCosts;
struct MappingPlan;
struct Scenario;
struct ScheduleRules;
struct ScheduleShape;

/// Whether stages are played where constants are measured: their schedule takes them, and they are not too
/// many.
bool plays_passes(const Scenario& scenario, const MappingPlan& mapping);

/// Whether passes whose activations go to the host are played, for what they wait: where times are
/// calibrated.
bool waits_for_host(const Scenario& scenario, const MappingPlan& mapping);

/// Chunks of the stages of a mapping with measured constants, by depth.
std::vector<PlayedChunk> played_chunks(const CostCase& costs, const MappingPlan& mapping,
                                       const CommunicationPlan& communication, const LayerCosts& layer);

/// No pipeline is faster than a stage with all microbatches, the first one's way there and the last one's way
/// back. Of opposite ways each may hide the other's transfers, and late gradients of weights every way back.
/// `waits`: a stage goes on when its output has left.
Seconds shortest_of_chunks(const ScheduleRules& rules, const ScheduleShape& shape,
                           const std::vector<PlayedChunk>& chunks, bool waits);

}  // namespace trainyard
