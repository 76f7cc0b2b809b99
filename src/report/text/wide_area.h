// Several sites on the terminal, in closed form and packet by packet.
#pragma once

#include <string>
#include <vector>

#include "network/long_haul.h"
#include "search/wide_area_plan.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string wide_area_text(const Scenario& scenario, const WideAreaAnswer& answer);
std::string long_haul_text(const Scenario& scenario, const std::vector<LongHaulResult>& results);

}  // namespace trainyard
