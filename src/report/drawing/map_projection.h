// From the sphere to paper, for maps of a grid.
#pragma once

#include <vector>

#include "trainyard/power_grid.h"

namespace trainyard {

/// A place on paper.
struct MapPoint {
  double x = 0;  // east
  double y = 0;  // north on a projection's plane, down in an SVG
};

/// A projection of the sphere onto a plane, in radii of the sphere.
class MapProjection {
 public:
  /// Albers' equal-area conic for the conterminous United States: standard parallels 29.5 and 45.5 N, centre
  /// 23 N 96 W (Snyder 1987, "Map Projections: A Working Manual", USGS Professional Paper 1395, equations
  /// 14-1 to 14-6).
  static MapProjection albers_united_states();
  /// Plate carree that is true to scale along the parallel and the meridian of the centre (equidistant
  /// cylindrical, Snyder equations 12-1 and 12-2).
  static MapProjection plate_carree(GeoPoint centre);

  /// Longitudes are taken within 180 degrees of the centre.
  MapPoint operator()(GeoPoint place) const;
  /// A line: neighbours stay neighbours across the meridian opposite to the centre, where single places jump.
  std::vector<MapPoint> line(const std::vector<GeoPoint>& places) const;

  bool equal_area() const { return cone_ > 0; }
  /// How far a turn of 360 degrees moves a place on a plate carree; 0 on a cone.
  double turn() const;

 private:
  MapPoint project(double lat_deg, double degrees_east_of_centre) const;

  GeoPoint centre_;
  double cone_ = 0;      // Snyder's n; 0: plate carree
  double constant_ = 0;  // Snyder's C
  double stretch_ = 1;   // plate carree: cosine of the standard parallel
};

/// Places along the great circle, both ends included; two places that lie opposite each other have no single
/// one, and any is taken.
std::vector<GeoPoint> great_circle(GeoPoint from, GeoPoint to, int steps);

/// The places at a distance, once around.
std::vector<GeoPoint> circle_around(GeoPoint centre, double radius_km, int steps);

/// The middle of the smallest box that holds all places, across the date line where that is smaller.
GeoPoint box_centre(const std::vector<GeoPoint>& places);

}  // namespace trainyard
