// What a packet simulation found: as text, JSON, CSV and a page.
#pragma once

#include <string>

#include "network/simulate.h"
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
/// One line for each event of a packet of the traced flows.
std::string trace_csv(const SimulationResult& result);
/// The self-contained HTML report.
std::string simulation_page(const SimulationResult& result, const RunCost& cost, const Scenario& scenario);

/// How far a run has come after `wall` seconds, and how long the rest will take: one short line.
std::string progress_text(const SimulationProgress& progress, Seconds wall);

}  // namespace trainyard
