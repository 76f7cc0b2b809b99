// Sites and splits as pages: the map, and what `trainyard site` says in text.
#pragma once

#include <string>

#include "trainyard/scenario.h"
#include "trainyard/siting.h"

namespace trainyard {

std::string siting_page(const SitingPlan& plan, const Grid& grid, const Scenario& scenario);
std::string siting_page(const PlacesPlan& plan, const Grid& grid, const Scenario& scenario);

}  // namespace trainyard
