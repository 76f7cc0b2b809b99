#include "report/drawing/map_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/counted.h"
#include "facility/fuels.h"
#include "report/data/show.h"
#include "report/drawing/map_frame.h"
#include "report/drawing/svg.h"

namespace trainyard {
namespace {

constexpr std::size_t kOwnCircles = 1200;
constexpr double kCell = 14;  // units of paper that share a circle

constexpr std::array<FuelGroup, kFuelGroups> kFuels = {{{"gas", "f0"},
                                                        {"coal", "f1"},
                                                        {"nuclear", "f2"},
                                                        {"hydro, pumped", "f3"},
                                                        {"wind", "f4"},
                                                        {"solar", "f5"},
                                                        {"oil", "f6"},
                                                        {"battery, biomass, other", "f7"}}};
constexpr std::size_t kOtherFuels = 7;

// Direct current first; then the first that is large enough.
constexpr std::array<LineClass, kLineClasses> kLines = {{{"direct current", "dc", 0, true},
                                                         {"5 GW and more", "ac3", 5000, false},
                                                         {"1 to 5 GW", "ac2", 1000, false},
                                                         {"below 1 GW", "ac1", 0, false}}};

std::size_t group_of(Fuel fuel) {
  switch (fuel) {
    case Fuel::gas:
      return 0;
    case Fuel::coal:
      return 1;
    case Fuel::nuclear:
      return 2;
    case Fuel::hydro:
    case Fuel::pumped:
      return 3;
    case Fuel::wind:
      return 4;
    case Fuel::solar:
      return 5;
    case Fuel::oil:
      return 6;
    default:
      return kOtherFuels;
  }
}

std::size_t class_of(const GridLine& line) {
  const bool direct = line.kind != "AC";
  const double mw = std::max(line.forward, line.reverse).count();
  const auto found = std::find_if(kLines.begin(), kLines.end(),
                                  [&](const LineClass& c) { return c.direct == direct && mw >= c.least_mw; });
  return found == kLines.end() ? kLineClasses - 1 : static_cast<std::size_t>(found - kLines.begin());
}

std::string circle(const Grid& grid, MapPoint at, double mw, std::size_t group, const std::string& tooltip) {
  return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{:.1f}\" class=\"{}\"><title>{}</title></circle>\n",
                     paper_number(at.x), paper_number(at.y), plant_radius(mw, grid), kFuels[group].css,
                     escape_markup(tooltip));
}

/// Small plants of one fuel in one cell.
struct PlantCell {
  double mw = 0;
  std::size_t plants = 0;
  double x = 0;  // weighted by capacity
  double y = 0;
};

std::string cells_markup(const Grid& grid, const MapFrame& frame, const std::vector<std::size_t>& order) {
  std::map<std::array<long, 3>, PlantCell> cells;
  for (std::size_t i = kOwnCircles; i < order.size(); ++i) {
    const GridPlant& plant = grid.plants[order[i]];
    const MapPoint at = frame.at(plant.at);
    if (!frame.shows(at) || plant.capacity <= Megawatts()) continue;
    PlantCell& cell = cells[{static_cast<long>(group_of(plant.fuel)), std::lround(at.x / kCell),
                             std::lround(at.y / kCell)}];
    cell.mw += plant.capacity.count();
    ++cell.plants;
    cell.x += at.x * plant.capacity.count();
    cell.y += at.y * plant.capacity.count();
  }
  std::string out;
  for (const auto& [key, cell] : cells) {
    const auto group = static_cast<std::size_t>(key[0]);
    out += circle(grid, {cell.x / cell.mw, cell.y / cell.mw}, cell.mw, group,
                  fmt::format("{} {} {}, {} MW", cell.plants, kFuels[group].name,
                              cell.plants == 1 ? "plant" : "plants", grouped(cell.mw)));
  }
  return out;
}

}  // namespace

const std::array<FuelGroup, kFuelGroups>& fuel_groups() { return kFuels; }
const std::array<LineClass, kLineClasses>& line_classes() { return kLines; }

double plant_radius(double mw, const Grid& grid) {
  constexpr std::size_t kFew = 200;                                 // plants, between which there is room
  const double radius = grid.plants.size() <= kFew ? 0.17 : 0.085;  // units of paper for 1 MW
  constexpr double kLeast = 0.4;
  constexpr double kMost = 24;
  return std::clamp(radius * std::sqrt(std::max(0.0, mw)), kLeast, kMost);
}

std::string lines_markup(const Grid& grid, const MapFrame& frame) {
  std::array<std::string, kLineClasses> paths;
  std::array<std::size_t, kLineClasses> counts{};
  for (const GridLine& line : grid.lines) {
    const std::size_t c = class_of(line);
    ++counts[c];
    paths[c] += path_data(frame.line({grid.nodes[line.from].at, grid.nodes[line.to].at}));
  }
  std::string out;
  // The thin ones lie below.
  for (std::size_t c = kLineClasses; c-- > 0;) {
    if (counts[c] == 0) continue;
    out += fmt::format("<path class=\"wire {}\" d=\"{}\"><title>{}, {}</title></path>\n", kLines[c].css,
                       paths[c], counted(grouped(static_cast<double>(counts[c])), "line"), kLines[c].name);
  }
  return out;
}

std::string nodes_markup(const Grid& grid, const MapFrame& frame) {
  std::string dots;
  for (const GridNode& node : grid.nodes) {
    const MapPoint at = frame.at(node.at);
    if (frame.shows(at)) dots += fmt::format("M{} {}h0", paper_number(at.x), paper_number(at.y));
  }
  return fmt::format("<path class=\"node\" d=\"{}\"/>\n", dots);
}

std::string plants_markup(const Grid& grid, const MapFrame& frame) {
  std::vector<std::size_t> order(grid.plants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return grid.plants[a].capacity > grid.plants[b].capacity;
  });
  std::string own;
  for (std::size_t i = 0; i < std::min(order.size(), kOwnCircles); ++i) {
    const GridPlant& plant = grid.plants[order[i]];
    const MapPoint at = frame.at(plant.at);
    if (!frame.shows(at)) continue;
    const std::string authority =
        plant.authority == kNowhere ? "" : ", " + grid.authorities[plant.authority].code;
    own += circle(grid, at, plant.capacity.count(), group_of(plant.fuel),
                  fmt::format("{}: {}, {} MW{}", plant.name, fuel_name(plant.fuel),
                              grouped(plant.capacity.count()), authority));
  }
  return cells_markup(grid, frame, order) + own;
}

std::vector<AuthorityLabel> authority_labels(const Grid& grid, const MapFrame& frame) {
  std::vector<PlantCell> sums(grid.authorities.size());
  for (const GridPlant& plant : grid.plants) {
    const MapPoint at = frame.at(plant.at);
    if (plant.authority == kNowhere || !frame.shows(at) || plant.capacity <= Megawatts()) continue;
    PlantCell& sum = sums[plant.authority];
    sum.mw += plant.capacity.count();
    ++sum.plants;
    sum.x += at.x * plant.capacity.count();
    sum.y += at.y * plant.capacity.count();
  }
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a].mw > sums[b].mw; });
  std::vector<AuthorityLabel> out;
  for (const std::size_t a : order) {
    const PlantCell& sum = sums[a];
    if (sum.plants == 0) break;
    const Authority& authority = grid.authorities[a];
    out.push_back(
        {authority.code,
         fmt::format("{}: {} MW in {} on this map", authority.name.empty() ? authority.code : authority.name,
                     grouped(sum.mw), counted(grouped(static_cast<double>(sum.plants)), "plant")),
         {sum.x / sum.mw, sum.y / sum.mw}});
  }
  return out;
}

std::array<bool, kFuelGroups> used_fuels(const Grid& grid) {
  std::array<bool, kFuelGroups> out{};
  for (const GridPlant& plant : grid.plants) out[group_of(plant.fuel)] = true;
  return out;
}

std::array<bool, kLineClasses> used_lines(const Grid& grid) {
  std::array<bool, kLineClasses> out{};
  for (const GridLine& line : grid.lines) out[class_of(line)] = true;
  return out;
}

}  // namespace trainyard
