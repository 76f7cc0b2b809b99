// A grid as layers of a map: lines, nodes, plants, authorities.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/map_projection.h"

namespace trainyard {

class MapFrame;

/// Fuels that share a colour.
struct FuelGroup {
  std::string_view name;
  std::string_view css;  // class
};
inline constexpr std::size_t kFuelGroups = 8;
const std::array<FuelGroup, kFuelGroups>& fuel_groups();

/// Lines that are drawn alike.
struct LineClass {
  std::string_view name;
  std::string_view css;
  double least_mw = 0;  // of the larger direction
  bool direct = false;  // LCC, VSC, B2B
};
inline constexpr std::size_t kLineClasses = 4;
const std::array<LineClass, kLineClasses>& line_classes();

/// One path for every class of lines that the grid has.
std::string lines_markup(const Grid& grid, const MapFrame& frame);
/// One path of dots.
std::string nodes_markup(const Grid& grid, const MapFrame& frame);
/// Areas follow capacity. The largest plants have circles of their own; others share one with those of their
/// fuel nearby, so that a picture stays small however many there are.
std::string plants_markup(const Grid& grid, const MapFrame& frame);

/// Where an authority's name can stand: in the middle of its plants. The largest first.
struct AuthorityLabel {
  std::string code;
  std::string tooltip;
  MapPoint at;
};
std::vector<AuthorityLabel> authority_labels(const Grid& grid, const MapFrame& frame);

/// Which fuels and lines a grid has, for its legend.
std::array<bool, kFuelGroups> used_fuels(const Grid& grid);
std::array<bool, kLineClasses> used_lines(const Grid& grid);

/// Radius of a circle for this capacity, in units of paper; larger on a grid of few plants.
double plant_radius(double mw, const Grid& grid);

}  // namespace trainyard
