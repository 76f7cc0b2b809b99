// The exchange of a layer's gradients as a step sees it: what keeps networks busy, and what is waited for
// once.
#pragma once

#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct CostCase;
struct ExchangePhases;
struct GradientStage;
struct MappingPlan;
struct Scenario;

/// Of these stages.
ExchangePhases exchange_phases(const CostCase& costs, const std::vector<GradientStage>& stages);

/// With one more stage, between datacenters: the time of its bytes, and its delays.
ExchangePhases with_far_stage(ExchangePhases phases, Seconds sending, Seconds waiting);

/// What is waited for once behind the sums of a step: delays, and the last piece on other than the busiest
/// network.
Seconds summed_once(const ExchangePhases& phases);

/// Part of a step's layers that one is, on the device that sums most, by as often as it sums them.
double layer_of_step(const CostCase& costs, const MappingPlan& mapping);

/// Of a layer, with its part of what is waited for once.
Seconds pipelined_exchange(const ExchangePhases& phases, double layer_of_step);

/// Pieces of a layer's gradients that pass the stages of their exchange one behind the other.
double exchange_pieces(const Scenario& scenario, const std::vector<GradientStage>& stages);

}  // namespace trainyard
