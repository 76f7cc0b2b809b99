// Sites and splits on a map of their grid (docs/siting.md, "The map").
#pragma once

#include <string>

#include "report/drawing/map_frame.h"
#include "report/drawing/map_projection.h"
#include "trainyard/power_grid.h"

namespace trainyard {

struct SitingPicture;

/// A map as a file of its own: the first split, a legend and a bar of scale.
std::string siting_map_svg(const SitingPicture& picture, const Grid& grid);

/// A map inside a page that zooms it.
struct WebMap {
  std::string svg;         // every split, each in groups of class "split s0", "split s1", ...
  std::string legend;      // HTML
  std::string projection;  // a sentence
  MapFrame frame;

  MapPoint at(GeoPoint place) const { return frame.at(place); }
};
WebMap siting_map_web(const SitingPicture& picture, const Grid& grid);

}  // namespace trainyard
