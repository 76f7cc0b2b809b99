#include <fmt/core.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/drawing/network_panel.h"
#include "report/drawing/svg.h"
#include "topology/fabric.h"
#include "topology/topologies.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

/// Four switches, all joined, or two leaves under two spines.
void draw_group(Svg& svg, const NetworkDesign& design, PanelPoint centre, std::size_t index) {
  const PanelPoint corners[] = {{centre.x - 18, centre.y - 14},
                                {centre.x + 18, centre.y - 14},
                                {centre.x - 18, centre.y + 14},
                                {centre.x + 18, centre.y + 14}};
  svg.rect(centre.x - 38, centre.y - 30, 76, 60, "#ffffff", "rx=\"8\" stroke=\"#7b8794\"");
  const bool tree = design.topology->outline == Outline::groups_of_trees;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {
      if (!tree || (i < 2 && j >= 2))
        svg.line(corners[i].x, corners[i].y, corners[j].x, corners[j].y, kPanelGrey, 1);
    }
  }
  for (const PanelPoint& c : corners) svg.rect(c.x - 9, c.y - 7, 18, 14, series_colour(index), "rx=\"2\"");
}

/// Neighbours by lines; farther ones by arcs (all of them in a HyperX, the ends of a ring in a torus).
void join_in_grid(Svg& svg, PanelPoint a, PanelPoint b, int steps, bool torus, bool along_row) {
  if (steps == 1) return svg.line(a.x, a.y, b.x, b.y, kPanelGrey, 1.2);
  if (torus && steps != 3) return;
  const double bow = 9.0 + 6 * steps;
  std::string points;
  for (int i = 0; i <= 12; ++i) {
    const double t = i / 12.0;
    const double lift = bow * std::sin(std::numbers::pi * t);
    points += coordinate(a.x + (b.x - a.x) * t + (along_row ? 0 : -lift)) + "," +
              coordinate(a.y + (b.y - a.y) * t - (along_row ? lift : 0)) + " ";
  }
  svg.polyline(points, kPanelGrey, 1, "stroke-opacity=\"0.7\"");
}

}  // namespace

void draw_groups(Svg& svg, const NetworkDesign& design, PanelPoint origin) {
  const FabricCounts counts = design.fabric->counts();
  const std::int64_t groups = 6;
  const PanelPoint centre{origin.x + kPanelWidth / 2, origin.y + 216};
  std::vector<PanelPoint> at;
  for (std::int64_t g = 0; g < groups; ++g) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(g) / static_cast<double>(groups);
    at.push_back({centre.x + 140 * std::sin(angle), centre.y - 116 * std::cos(angle)});
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t j = i + 1; j < at.size(); ++j)
      svg.line(at[i].x, at[i].y, at[j].x, at[j].y, kPanelGrey, 1);
  }
  for (std::size_t i = 0; i < at.size(); ++i) draw_group(svg, design, at[i], i);
  svg.text(
      centre.x, origin.y + kPanelHeight - 14,
      fmt::format("some of its groups; {} between groups, {} inside",
                  counted(show_count(counts.links.back().links), "link"), show_count(counts.links[1].links)),
      {.size = 10, .anchor = "middle", .css = "soft"});
}

void draw_grid(Svg& svg, const NetworkDesign& design, PanelPoint origin) {
  constexpr int kSide = 4;
  const bool torus = design.topology->outline == Outline::host_grid;
  const auto at = [&](int row, int column) {
    return PanelPoint{origin.x + 96 + 96.0 * column, origin.y + 96 + 78.0 * row};
  };
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      for (int other = 0; other < column; ++other)
        join_in_grid(svg, at(row, other), at(row, column), column - other, torus, true);
      for (int other = 0; other < row; ++other)
        join_in_grid(svg, at(other, column), at(row, column), row - other, torus, false);
    }
  }
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      const PanelPoint p = at(row, column);
      svg.rect(p.x - 12, p.y - 10, 24, 20, series_colour(torus ? 0 : 2), "rx=\"3\"");
    }
  }
  svg.text(origin.x + kPanelWidth / 2, origin.y + kPanelHeight - 14,
           torus ? "some of its hosts, two of its dimensions" : "some of its switches, two of its dimensions",
           {.size = 10, .anchor = "middle", .css = "soft"});
}

}  // namespace trainyard
