// A simulation of flows as text, JSON, CSV, charts and a page.
#pragma once

#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct Chart;
struct Scenario;
struct SimulationProgress;
struct SimulationResult;

/// What the run took; differs from run to run.
struct RunCost {
  Seconds cpu;
  Seconds wall;
  double peak_rss_bytes = 0;
};

/// All but the object `run`, which says what the run took, is the same for every run and number of threads.
std::string simulation_json(const SimulationResult& result, const RunCost& cost, const Scenario& scenario);

/// What tells a simulation from others, without running it: the settings that it uses, their hash, and the
/// version of the engine's behaviour.
std::string identity_json(const Scenario& scenario);

/// One line a flow.
std::string simulation_csv(const SimulationResult& result);

/// One line for each event of a packet of the traced flows.
std::string trace_csv(const SimulationResult& result);

/// One line for each sample of a probe.
std::string series_csv(const SimulationResult& result);

std::string simulation_text(const SimulationResult& result, const RunCost& cost);

/// How far a run has come after `wall` seconds, and how long the rest will take: one short line.
std::string progress_text(const SimulationProgress& progress, Seconds wall);

/// The self-contained HTML report.
std::string simulation_page(const SimulationResult& result, const RunCost& cost, const Scenario& scenario);

/// Share of the flows over completion time, beside the least time of the largest flow.
Chart completion_chart(const SimulationResult& result);
/// Median and 99th percentile of slowdown over the size of flows.
Chart slowdown_chart(const SimulationResult& result);
/// The longest queue over simulated time.
Chart queue_chart(const SimulationResult& result);
/// The rate at which data reaches hosts, from each moment until the next.
Chart throughput_chart(const SimulationResult& result);

/// Data that waits before the links of probes, over simulated time: those with the longest queues.
Chart series_queue_chart(const SimulationResult& result);
/// Shares of time in which these links were busy.
Chart series_use_chart(const SimulationResult& result);
/// Payload of probed flows that has arrived.
Chart series_flow_chart(const SimulationResult& result);

/// Those that have something to show: slowdown over size only where sizes differ.
std::vector<Chart> simulation_charts(const SimulationResult& result);

}  // namespace trainyard
