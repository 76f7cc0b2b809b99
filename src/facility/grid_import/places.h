// Places on the ground, the U.S. states, and the nearest of a set of places.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::grid_import {

struct GroundPoint {
  double lat_deg = 0;
  double lon_deg = 0;
};

/// Great-circle distance on a sphere of the Earth's mean radius, 6371.0088 km (IUGG).
double great_circle_km(const GroundPoint& a, const GroundPoint& b);

/// Index of the nearest of `places`; the first of equally near ones; empty when there are none.
std::optional<std::size_t> nearest_place(const GroundPoint& to, const std::vector<GroundPoint>& places);

struct UsState {
  std::string_view code;
  std::string_view name;
  bool contiguous;  // one of the 48, or the District of Columbia
};

/// By two-letter code, case as in "WA", or by name; nullptr for neither a state nor a territory.
const UsState* us_state(std::string_view code_or_name);

}  // namespace trainyard::grid_import
