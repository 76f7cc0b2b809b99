#include "facility/grid_import/places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace trainyard::grid_import {
namespace {

constexpr std::array<UsState, 56> kStates = {{{"AL", "Alabama", true},
                                              {"AK", "Alaska", false},
                                              {"AZ", "Arizona", true},
                                              {"AR", "Arkansas", true},
                                              {"CA", "California", true},
                                              {"CO", "Colorado", true},
                                              {"CT", "Connecticut", true},
                                              {"DE", "Delaware", true},
                                              {"DC", "District of Columbia", true},
                                              {"FL", "Florida", true},
                                              {"GA", "Georgia", true},
                                              {"HI", "Hawaii", false},
                                              {"ID", "Idaho", true},
                                              {"IL", "Illinois", true},
                                              {"IN", "Indiana", true},
                                              {"IA", "Iowa", true},
                                              {"KS", "Kansas", true},
                                              {"KY", "Kentucky", true},
                                              {"LA", "Louisiana", true},
                                              {"ME", "Maine", true},
                                              {"MD", "Maryland", true},
                                              {"MA", "Massachusetts", true},
                                              {"MI", "Michigan", true},
                                              {"MN", "Minnesota", true},
                                              {"MS", "Mississippi", true},
                                              {"MO", "Missouri", true},
                                              {"MT", "Montana", true},
                                              {"NE", "Nebraska", true},
                                              {"NV", "Nevada", true},
                                              {"NH", "New Hampshire", true},
                                              {"NJ", "New Jersey", true},
                                              {"NM", "New Mexico", true},
                                              {"NY", "New York", true},
                                              {"NC", "North Carolina", true},
                                              {"ND", "North Dakota", true},
                                              {"OH", "Ohio", true},
                                              {"OK", "Oklahoma", true},
                                              {"OR", "Oregon", true},
                                              {"PA", "Pennsylvania", true},
                                              {"RI", "Rhode Island", true},
                                              {"SC", "South Carolina", true},
                                              {"SD", "South Dakota", true},
                                              {"TN", "Tennessee", true},
                                              {"TX", "Texas", true},
                                              {"UT", "Utah", true},
                                              {"VT", "Vermont", true},
                                              {"VA", "Virginia", true},
                                              {"WA", "Washington", true},
                                              {"WV", "West Virginia", true},
                                              {"WI", "Wisconsin", true},
                                              {"WY", "Wyoming", true},
                                              {"PR", "Puerto Rico", false},
                                              {"GU", "Guam", false},
                                              {"VI", "U.S. Virgin Islands", false},
                                              {"AS", "American Samoa", false},
                                              {"MP", "Northern Mariana Islands", false}}};

}  // namespace

double great_circle_km(const GroundPoint& a, const GroundPoint& b) {
  constexpr double kRadius_km = 6371.0088;
  constexpr double kRadians = std::numbers::pi / 180;
  const double half_lat = std::sin((b.lat_deg - a.lat_deg) * kRadians / 2);
  const double half_lon = std::sin((b.lon_deg - a.lon_deg) * kRadians / 2);
  const double haversine = half_lat * half_lat + std::cos(a.lat_deg * kRadians) *
                                                     std::cos(b.lat_deg * kRadians) * half_lon * half_lon;
  return 2 * kRadius_km * std::asin(std::min(1.0, std::sqrt(haversine)));
}

std::optional<std::size_t> nearest_place(const GroundPoint& to, const std::vector<GroundPoint>& places) {
  std::optional<std::size_t> nearest;
  double least_km = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double km = great_circle_km(to, places[i]);
    if (km >= least_km) continue;
    least_km = km;
    nearest = i;
  }
  return nearest;
}

const UsState* us_state(std::string_view code_or_name) {
  const auto* found = std::find_if(kStates.begin(), kStates.end(), [&](const UsState& state) {
    return state.code == code_or_name || state.name == code_or_name;
  });
  return found == kStates.end() ? nullptr : found;
}

}  // namespace trainyard::grid_import
