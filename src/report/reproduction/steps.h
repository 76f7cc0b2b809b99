// Quantities of HotNets '24 section 6 through the simulated step.
#pragma once

#include <map>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

struct Plan;
struct StepSimulation;

/// How far a simulated step may be from its closed form.
constexpr double kStepAgreement_pct = 0.5;

/// What simulating the step of a plan gives in place of the plan's quantities, in base units by their keys:
/// steady state, times of a layer's passes, how much of the gradient exchange hides, and the wide-area rate
/// at which its transfer ends with the backward pass. Of plans that exchange gradients beside each backward
/// pass (HotNets '24 section 6); empty where the pipeline never fills.
std::map<std::string, double> stepped_quantities(const Plan& plan, const StepSimulation& step);

/// Steady state of a plan in closed form, with pipeline transfers that take so many times as long. Of p
/// stages a full 1F1B pipeline has p microbatches under way, and each waits for 2 (p-1) transfers: here,
/// where these are most of what is exposed, that counts.
struct SlowedSteadyState {
  Seconds layer;
  double exposed_share = 0;
};
SlowedSteadyState slowed_steady_state(const Plan& plan, double times);

}  // namespace trainyard
