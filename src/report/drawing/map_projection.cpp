#include "report/drawing/map_projection.h"

#include <GeographicLib/Geodesic.hpp>
#include <GeographicLib/GeodesicLine.hpp>
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

/// Snyder's formulas, and not PROJ, which would bring SQLite, libtiff and libcurl for these lines.
double rho(double constant, double cone, double lat_deg) {
  return std::sqrt(std::max(0.0, constant - 2 * cone * std::sin(lat_deg * kRadians))) / cone;
}

/// Great circles are the geodesics of a sphere.
const GeographicLib::Geodesic& sphere() {
  constexpr double kMetresPerKm = 1e3;
  static const GeographicLib::Geodesic sphere(kEarthRadius_km * kMetresPerKm, 0);
  return sphere;
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
  const GeographicLib::GeodesicLine line =
      sphere().InverseLine(from.lat_deg, from.lon_deg, to.lat_deg, to.lon_deg);
  constexpr double kSame_deg = 1e-7;
  if (line.Arc() < kSame_deg) return {from, to};
  std::vector<GeoPoint> out = {from};
  for (int i = 1; i < steps; ++i) {
    GeoPoint place;
    line.ArcPosition(line.Arc() * i / steps, place.lat_deg, place.lon_deg);
    out.push_back(place);
  }
  out.push_back(to);
  return out;
}

std::vector<GeoPoint> circle_around(GeoPoint centre, double radius_km, int steps) {
  const double radius_deg = radius_km / kEarthRadius_km / kRadians;
  std::vector<GeoPoint> out;
  for (int i = 0; i < steps; ++i) {
    GeoPoint place;
    sphere().ArcDirect(centre.lat_deg, centre.lon_deg, kTurn_deg * i / steps, radius_deg, place.lat_deg,
                       place.lon_deg);
    out.push_back(place);
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
