// Where a datacenter can stand, on the terminal.
#pragma once

#include <string>

#include "siting/grid_files.h"
#include "trainyard/siting.h"

namespace trainyard {

std::string siting_text(const SitingPlan& plan);

/// Places that were asked for.
std::string places_text(const PlacesPlan& plan, const Grid& grid);

}  // namespace trainyard
