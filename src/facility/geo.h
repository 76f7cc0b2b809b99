// Places on a sphere of the Earth's mean radius, and light in fibre between them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "trainyard/power_grid.h"

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

/// Great-circle distance, km (within 0.6% of the ellipsoid).
inline double distance_km(GeoPoint a, GeoPoint b) {
  return km_of_chord_squared(chord_squared(unit_vector(a), unit_vector(b)));
}

/// Finds the nearest of a set of places by looking at each.
class NearestPlace {
 public:
  void add(GeoPoint place) { places_.push_back(unit_vector(place)); }

  /// Index of the nearest in the order of add(); the first of equally near ones; empty when there are none.
  std::optional<std::size_t> to(GeoPoint place) const {
    const UnitVector here = unit_vector(place);
    std::optional<std::size_t> nearest;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const double chord = chord_squared(places_[i], here);
      if (chord >= least) continue;
      least = chord;
      nearest = i;
    }
    return nearest;
  }

 private:
  std::vector<UnitVector> places_;
};

/// Round trip of light in fibre, ms per km of great circle: 2 phi n / c, for a route phi times as long and
/// a refractive index n.
inline double round_trip_ms_per_km(double fibre_ratio, double refractive_index) {
  constexpr double kLightSpeed_km_per_ms = 299.792458;
  return 2 * fibre_ratio * refractive_index / kLightSpeed_km_per_ms;
}

}  // namespace trainyard
