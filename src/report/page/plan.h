// The HTML report of a plan: one file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "report/drawing/chart.h"
#include "search/network_plan.h"
#include "search/sweep.h"
#include "trainyard/plan.h"

namespace trainyard {

/// With these charts and networks. Everything that comes from the user is escaped.
std::string plan_page(const Plan& plan, const std::vector<Chart>& charts,
                      const std::vector<NetworkAnswer>& networks);

/// With the scaling laws, these sweeps and the scenario's networks.
std::string plan_page(const Plan& plan, const std::vector<SweepResult>& sweeps);

}  // namespace trainyard
