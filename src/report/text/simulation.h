// A packet simulation on the terminal.
#pragma once

#include <string>

#include "report/data/simulation.h"

namespace trainyard {

std::string simulation_text(const SimulationResult& result, const RunCost& cost);

/// How far a run has come after `wall` seconds, and how long the rest will take: one short line.
std::string progress_text(const SimulationProgress& progress, Seconds wall);

}  // namespace trainyard
