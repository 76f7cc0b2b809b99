// The paper of a map: what part of a projection it shows, at which scale, and where there is room for text.
#pragma once

#include <string>
#include <vector>

#include "report/drawing/map_projection.h"
#include "trainyard/power_grid.h"

namespace trainyard {

/// A rectangle on paper.
struct MapBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  bool meets(const MapBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// Turns places into SVG coordinates.
class MapFrame {
 public:
  /// Fits these places (at least one) with a margin: on Albers' projection where nearly all lie in the
  /// conterminous United States, else on a plate carree around their middle.
  explicit MapFrame(const std::vector<GeoPoint>& places);

  bool united_states() const { return projection_.equal_area(); }
  double width() const { return width_; }
  double height() const { return height_; }
  /// Kilometres on the ground under one unit of paper, where the projection is true to scale.
  double km_per_unit() const;

  MapPoint at(GeoPoint place) const { return on_paper(projection_(place)); }
  bool shows(MapPoint p) const { return p.x >= 0 && p.x <= width_ && p.y >= 0 && p.y <= height_; }
  std::vector<MapPoint> line(const std::vector<GeoPoint>& places) const;
  /// The same wherever a turn around the Earth brings it onto the paper.
  std::vector<std::vector<MapPoint>> lines_on_paper(const std::vector<GeoPoint>& places) const;

 private:
  MapPoint on_paper(MapPoint p) const { return {(p.x - left_) * scale_, (top_ - p.y) * scale_}; }

  MapProjection projection_;
  double left_ = 0;  // of the paper on the projection's plane
  double top_ = 0;
  double scale_ = 1;  // units of paper a radius of the Earth
  double width_ = 0;
  double height_ = 0;
};

/// Path data through these points, 0.1 units fine.
std::string path_data(const std::vector<MapPoint>& points, bool closed = false);
/// A number as path_data writes it.
std::string paper_number(double value);

/// Coasts and borders as two paths.
std::string outline_markup(const MapFrame& frame);

/// Room that is taken on a map.
class MapRoom {
 public:
  MapRoom(double width, double height) : paper_{0, 0, width, height} {}
  bool free(const MapBox& box) const;
  void take(const MapBox& box) { taken_.push_back(box); }

 private:
  MapBox paper_;
  std::vector<MapBox> taken_;
};

}  // namespace trainyard
