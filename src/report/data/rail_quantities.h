// The rail-only analysis and its traffic matrix as named quantities.
#pragma once

#include <vector>

#include "trainyard/quantities.h"

namespace trainyard {

struct Scenario;

/// Every quantity of the analysis and of its traffic matrix.
std::vector<PlanQuantity> rail_quantities(const Scenario& scenario);

}  // namespace trainyard
