// What the marks of a map mean.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trainyard {

struct Grid;
struct SitingPicture;

/// An entry of the legend: a drawing of 26 by 14 units, and its meaning.
struct LegendEntry {
  std::string drawing;
  std::string text;
  double capacity_mw = 0;  // of a circle that shows sizes
};

/// Of what the picture and the grid have.
std::vector<LegendEntry> legend(const SitingPicture& picture, const Grid& grid);

/// Entries side by side, in as many rows as they need. Height in units of paper.
std::pair<std::string, double> legend_markup(const std::vector<LegendEntry>& entries, double width);

}  // namespace trainyard
