// Coasts and borders that come with the program (data/outlines/).
#pragma once

#include <vector>

#include "trainyard/power_grid.h"

namespace trainyard {

/// A closed line around land, or an open one between two states or countries.
struct OutlineLine {
  bool land = false;
  std::vector<GeoPoint> points;
};

/// The conterminous United States with its states.
const std::vector<OutlineLine>& united_states_outline();
/// The countries of the world.
const std::vector<OutlineLine>& countries_outline();

}  // namespace trainyard
