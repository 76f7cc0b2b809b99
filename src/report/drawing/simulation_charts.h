// A packet simulation as charts.
#pragma once

#include <vector>

#include "network/simulate.h"
#include "report/drawing/chart.h"

namespace trainyard {

/// Share of the flows over completion time, beside the least time of the largest flow.
Chart completion_chart(const SimulationResult& result);
/// Median and 99th percentile of slowdown over the size of flows.
Chart slowdown_chart(const SimulationResult& result);
/// The longest queue over simulated time.
Chart queue_chart(const SimulationResult& result);
/// The rate at which data reaches hosts, from each moment until the next.
Chart throughput_chart(const SimulationResult& result);

/// Those that have something to show: slowdown over size only where sizes differ.
std::vector<Chart> simulation_charts(const SimulationResult& result);

}  // namespace trainyard
