// The traffic matrices of a plan and of the rail-only analysis.
#pragma once

#include "trainyard/traffic.h"

namespace trainyard {

struct Plan;
struct RailCase;

/// One batch of a plan, collectives as rings.
TrafficMatrix traffic_of(const Plan& plan);

/// One iteration of the rail-only analysis, collectives direct (rail-only '23 section 3.2).
TrafficMatrix traffic_of(const RailCase& rail, double model_group);

}  // namespace trainyard
