// A packet simulation for programs.
#pragma once

#include <string>

#include "network/simulate.h"
#include "trainyard/scenario.h"

namespace trainyard {

/// What the run took; differs from run to run.
struct RunCost {
  Seconds cpu;
  Seconds wall;
  double peak_rss_bytes = 0;
};

std::string simulation_json(const SimulationResult& result, const RunCost& cost, const Scenario& scenario);

/// What tells a simulation from others, without running it: the settings that it uses, their hash, and the
/// version of the engine's behaviour.
std::string identity_json(const Scenario& scenario);

/// One line a flow.
std::string simulation_csv(const SimulationResult& result);

/// One line for each event of a packet of the traced flows.
std::string trace_csv(const SimulationResult& result);

}  // namespace trainyard
