// What a packet simulation found.
#pragma once

#include <string>

#include "network/packet/simulate.h"
#include "report/output.h"

namespace trainyard {

/// What the run took; differs from run to run.
struct RunCost {
  Seconds cpu;
  Seconds wall;
  double peak_rss_bytes = 0;
};

std::string simulation_text(const SimulationResult& result, const RunCost& cost);
std::string simulation_json(const SimulationResult& result, const RunCost& cost, const Scenario& scenario);
/// One line a flow.
std::string simulation_csv(const SimulationResult& result);

}  // namespace trainyard
