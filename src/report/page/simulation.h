// A packet simulation as a page.
#pragma once

#include <string>

#include "report/data/simulation.h"

namespace trainyard {

/// The self-contained HTML report.
std::string simulation_page(const SimulationResult& result, const RunCost& cost, const Scenario& scenario);

}  // namespace trainyard
