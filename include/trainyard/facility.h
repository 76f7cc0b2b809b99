// Money into HB domains and power; time into energy and cost.
#pragma once

#include "trainyard/plan/cost.h"
#include "trainyard/plan/facility.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

/// What a budget, a power limit or a device count buys, and the power that it takes (HotNets '24 section 2).
/// Throws Infeasible when not even one HB domain fits.
FacilityPlan plan_facility(const Scenario& scenario);

/// Energy and cost of a training run of this length.
CostPlan plan_cost(const Scenario& scenario, const FacilityPlan& facility, Seconds duration, double tokens);

}  // namespace trainyard
