// Several sites in closed form, for programs.
#pragma once

#include <string>

#include "search/wide_area_plan.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string wide_area_json(const Scenario& scenario, const WideAreaAnswer& answer);

/// The curves: a row for each number of sites and rate.
std::string wide_area_csv(const WideAreaAnswer& answer);

}  // namespace trainyard
