// Money into HB domains and power; time into energy and cost.
#pragma once

#include <cstdint>

#include "trainyard/plan/cost.h"
#include "trainyard/plan/facility.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

/// What a budget, a power limit or a device count buys, and the power that it takes (HotNets '24 section 2).
/// Throws Infeasible when not even one HB domain fits.
FacilityPlan plan_facility(const Scenario& scenario);

/// HB domains in the networks of one datacenter: all datacenters are alike, and what does not divide over
/// them is in none. Throws InputError where there is not one for each.
std::int64_t domains_of_datacenter(const FacilityPlan& facility);

/// Energy and cost of a training run of this length.
CostPlan plan_cost(const Scenario& scenario, const FacilityPlan& facility, Seconds duration, double tokens);

}  // namespace trainyard
