#include "report/drawing/map_legend.h"

#include <fmt/core.h>

#include "report/data/show.h"
#include "report/drawing/map_grid.h"
#include "report/drawing/siting_picture.h"

namespace trainyard {

std::vector<LegendEntry> legend(const SitingPicture& picture, const Grid& grid) {
  std::vector<LegendEntry> out;
  const auto fuels = used_fuels(grid);
  for (std::size_t f = 0; f < kFuelGroups; ++f) {
    if (fuels[f])
      out.push_back({fmt::format("<circle cx=\"13\" cy=\"7\" r=\"6\" class=\"{}\"/>", fuel_groups()[f].css),
                     std::string(fuel_groups()[f].name)});
  }
  constexpr double kRow = 6;  // the largest circle that the legend has room for
  const double largest_mw = plant_radius(4000, grid) < kRow ? 4000 : 1000;
  for (const double mw : {largest_mw / 40, largest_mw / 4, largest_mw}) {
    out.push_back(
        {fmt::format("<circle cx=\"13\" cy=\"7\" r=\"{:.1f}\" class=\"bubble\"/>", plant_radius(mw, grid)),
         grouped(mw) + " MW", mw});
  }
  out.push_back({"<path class=\"node\" d=\"M13 7h0\"/>", "node of the network"});
  const auto lines = used_lines(grid);
  for (std::size_t c = 0; c < kLineClasses; ++c) {
    if (lines[c])
      out.push_back({fmt::format("<path class=\"wire {}\" d=\"M1 7h24\"/>", line_classes()[c].css),
                     fmt::format("line, {}", line_classes()[c].name)});
  }
  if (!picture.singles.empty()) {
    out.push_back(
        {"<g class=\"pin\"><circle cx=\"13\" cy=\"7\" r=\"6.5\"/><text class=\"number\" x=\"13\" y=\"10.3\" "
         "font-size=\"9\" text-anchor=\"middle\">1</text></g>",
         fmt::format("site, by rank; radius {} km", grouped(picture.singles.front().node.radius.count()))});
  }
  if (!picture.splits.empty()) {
    out.push_back(
        {"<g class=\"pin\"><path class=\"target\" d=\"M13 0l7 7l-7 7l-7-7Z\"/></g>", "site of the split"});
    out.push_back({"<path class=\"fibre\" d=\"M1 7h24\"/>",
                   "fibre: great circle, round trip, what the farthest adds to a training step"});
  }
  return out;
}

}  // namespace trainyard
