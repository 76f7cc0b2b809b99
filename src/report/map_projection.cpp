#include "report/map_projection.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "facility/geo.h"

namespace trainyard {
namespace {

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kTurn_deg = 360;

/// Within -180 to 180.
double wrapped(double degrees) { return std::remainder(degrees, kTurn_deg); }

double rho(double constant, double cone, double lat_deg) {
  return std::sqrt(std::max(0.0, constant - 2 * cone * std::sin(lat_deg * kRadians))) / cone;
}

GeoPoint place_of(const UnitVector& v) {
  return {std::atan2(v[2], std::hypot(v[0], v[1])) / kRadians, std::atan2(v[1], v[0]) / kRadians};
}

UnitVector sum(const UnitVector& a, double weight_a, const UnitVector& b, double weight_b) {
  return {weight_a * a[0] + weight_b * b[0], weight_a * a[1] + weight_b * b[1],
          weight_a * a[2] + weight_b * b[2]};
}

UnitVector cross(const UnitVector& a, const UnitVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// East and north of a place, as unit vectors.
UnitVector east_of(GeoPoint p) {
  const double lon = p.lon_deg * kRadians;
  return {-std::sin(lon), std::cos(lon), 0};
}

}  // namespace

MapProjection MapProjection::albers_united_states() {
  constexpr double kSouth_deg = 29.5;
  constexpr double kNorth_deg = 45.5;
  const double south = std::sin(kSouth_deg * kRadians);
  const double north = std::sin(kNorth_deg * kRadians);
  MapProjection out;
  out.centre_ = {23, -96};
  out.cone_ = (south + north) / 2;
  out.constant_ = 1 - south * south + 2 * out.cone_ * south;
  return out;
}

MapProjection MapProjection::plate_carree(GeoPoint centre) {
  MapProjection out;
  out.centre_ = centre;
  // A grid at a pole keeps some width.
  constexpr double kLeastStretch = 0.05;
  out.stretch_ = std::max(kLeastStretch, std::cos(centre.lat_deg * kRadians));
  return out;
}

double MapProjection::turn() const { return equal_area() ? 0 : 2 * std::numbers::pi * stretch_; }

MapPoint MapProjection::project(double lat_deg, double east_deg) const {
  if (!equal_area()) return {east_deg * kRadians * stretch_, (lat_deg - centre_.lat_deg) * kRadians};
  const double radius = rho(constant_, cone_, lat_deg);
  const double angle = cone_ * east_deg * kRadians;
  return {radius * std::sin(angle), rho(constant_, cone_, centre_.lat_deg) - radius * std::cos(angle)};
}

MapPoint MapProjection::operator()(GeoPoint place) const {
  return project(place.lat_deg, wrapped(place.lon_deg - centre_.lon_deg));
}

std::vector<MapPoint> MapProjection::line(const std::vector<GeoPoint>& places) const {
  std::vector<MapPoint> out;
  out.reserve(places.size());
  double east_deg = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double before_deg = i == 0 ? centre_.lon_deg : places[i - 1].lon_deg;
    east_deg += wrapped(places[i].lon_deg - before_deg);
    out.push_back(project(places[i].lat_deg, east_deg));
  }
  return out;
}

std::vector<GeoPoint> great_circle(GeoPoint from, GeoPoint to, int steps) {
  const UnitVector a = unit_vector(from);
  const UnitVector b = unit_vector(to);
  const double angle = distance_km(from, to) / kEarthRadius_km;
  constexpr double kSame = 1e-9;
  if (angle < kSame) return {from, to};
  // The direction at `from`: across a and the normal of the circle. Opposite places have no normal.
  UnitVector normal = cross(a, b);
  double length = std::sqrt(chord_squared(normal, {}));
  if (length < kSame) normal = cross(a, east_of(from)), length = std::sqrt(chord_squared(normal, {}));
  const UnitVector ahead = cross(sum(normal, 1 / length, {}, 0), a);
  std::vector<GeoPoint> out = {from};
  for (int i = 1; i < steps; ++i) {
    const double part = angle * i / steps;
    out.push_back(place_of(sum(a, std::cos(part), ahead, std::sin(part))));
  }
  out.push_back(to);
  return out;
}

std::vector<GeoPoint> circle_around(GeoPoint centre, double radius_km, int steps) {
  const UnitVector up = unit_vector(centre);
  const UnitVector east = east_of(centre);
  const UnitVector north = cross(up, east);
  const double angle = radius_km / kEarthRadius_km;
  std::vector<GeoPoint> out;
  for (int i = 0; i < steps; ++i) {
    const double bearing = 2 * std::numbers::pi * i / steps;
    const UnitVector side = sum(east, std::sin(bearing), north, std::cos(bearing));
    out.push_back(place_of(sum(up, std::cos(angle), side, std::sin(angle))));
  }
  return out;
}

GeoPoint box_centre(const std::vector<GeoPoint>& places) {
  if (places.empty()) return {};
  double low = places.front().lat_deg;
  double high = low;
  std::vector<double> east;
  for (const GeoPoint& p : places) {
    low = std::min(low, p.lat_deg);
    high = std::max(high, p.lat_deg);
    east.push_back(p.lon_deg);
  }
  std::sort(east.begin(), east.end());
  // The box begins east of the widest gap between neighbours.
  double widest = east.front() + kTurn_deg - east.back();
  double begin = east.front();
  for (std::size_t i = 1; i < east.size(); ++i) {
    if (east[i] - east[i - 1] <= widest) continue;
    widest = east[i] - east[i - 1];
    begin = east[i];
  }
  return {(low + high) / 2, wrapped(begin + (kTurn_deg - widest) / 2)};
}

}  // namespace trainyard
