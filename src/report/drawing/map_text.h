// Text on a map, where it finds room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/map_frame.h"
#include "report/drawing/map_projection.h"

namespace trainyard {

/// A line of text; "chosen", "soft" and "area" are classes.
struct MapLabel {
  std::string text;
  double size = 12;
  std::string_view css;
};

/// Lines of text as one block that hangs at a place.
struct MapBlock {
  std::vector<MapLabel> lines;

  double width() const;
  double height() const;
};

/// Where a block stands, from its place: its left or right end or its middle, and its top.
struct MapSpot {
  double dx = 0;
  double top = 0;
  std::string_view anchor = "start";

  MapBox box(MapPoint at, const MapBlock& block) const;
};

std::string block_markup(const MapBlock& block, const MapSpot& spot);

/// The first spot around a mark of this radius that is free, nearer ones first.
std::optional<MapSpot> free_spot(const MapRoom& room, MapPoint at, const MapBlock& block, double radius);

/// A group that keeps its size when a page zooms the map.
std::string pin(MapPoint at, std::string_view css, const std::string& tooltip, const std::string& content);

/// The square around a mark.
MapBox around(MapPoint at, double radius);

}  // namespace trainyard
