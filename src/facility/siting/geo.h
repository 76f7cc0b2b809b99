// Places on a sphere of the Earth's mean radius.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "trainyard/siting.h"

namespace trainyard {

/// Mean radius of the Earth, km (IUGG: (2 a + b) / 3 of WGS 84).
inline constexpr double kEarthRadius_km = 6371.0088;

/// A place as a unit vector.
using UnitVector = std::array<double, 3>;

inline UnitVector unit_vector(GeoPoint p) {
  constexpr double kRadians = std::numbers::pi / 180;
  const double lat = p.lat_deg * kRadians;
  const double lon = p.lon_deg * kRadians;
  return {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)};
}

/// Square of the straight line between two unit vectors.
inline double chord_squared(const UnitVector& a, const UnitVector& b) {
  const double x = a[0] - b[0];
  const double y = a[1] - b[1];
  const double z = a[2] - b[2];
  return x * x + y * y + z * z;
}

/// The chord that a distance on the ground spans: points within the distance are those within the chord, with
/// no exceptions at the poles or the date line.
inline double chord_of_km(double km) {
  return 2 * std::sin(std::min(km / (2 * kEarthRadius_km), std::numbers::pi / 2));
}

inline double km_of_chord_squared(double squared) {
  return 2 * kEarthRadius_km * std::asin(std::min(1.0, std::sqrt(squared) / 2));
}

/// Great-circle distance, km.
inline double distance_km(GeoPoint a, GeoPoint b) {
  return km_of_chord_squared(chord_squared(unit_vector(a), unit_vector(b)));
}

}  // namespace trainyard
