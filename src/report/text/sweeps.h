// Sweeps and scaling curves on the terminal.
#pragma once

#include <string>
#include <vector>

#include "report/data/scaling.h"
#include "search/sweep.h"

namespace trainyard {

/// A table with one column for each series.
std::string sweep_text(const SweepResult& sweep);

std::string scaling_text(const std::vector<ScalingCurve>& curves, FlopRate rate);

}  // namespace trainyard
