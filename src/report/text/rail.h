// The rail-only analysis and traffic matrices on the terminal.
#pragma once

#include <string>

#include "step/plan_traffic.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string rail_text(const Scenario& scenario);
std::string traffic_text(const TrafficSummary& summary);

}  // namespace trainyard
