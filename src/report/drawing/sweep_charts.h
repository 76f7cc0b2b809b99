// Sweeps, scaling curves and the rail-only analysis as charts.
#pragma once

#include <vector>

#include "report/data/scaling.h"
#include "report/drawing/chart.h"
#include "search/sweep.h"
#include "step/rail_analysis.h"

namespace trainyard {

Chart sweep_chart(const SweepResult& sweep);
Chart scaling_chart(const std::vector<ScalingCurve>& curves);

/// Iteration time over HB-domain size, a line for each cluster (rail-only '23 Fig. 7).
Chart rail_chart(const RailAnalysis& analysis);

/// Performance relative to one HB network for all over batch size, a line for each K (rail-only '23 Fig. 8b).
Chart rail_batch_chart(const RailAnalysis& analysis);

}  // namespace trainyard
