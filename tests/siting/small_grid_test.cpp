// The small grid that comes with the program: facts that hold by themselves, and its rows held against the
// grid of the United States where that is at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "facility/geo.h"
#include "published_grid.h"
#include "siting/grid_files.h"

namespace trainyard {
namespace {

template <class Rows>
auto by_id(const Rows& rows) {
  std::map<std::string, typename Rows::value_type> out;
  for (const auto& row : rows) out[row.id] = row;
  return out;
}

template <class Rows>
auto by_code(const Rows& rows) {
  std::map<std::string, typename Rows::value_type> out;
  for (const auto& row : rows) out[row.code] = row;
  return out;
}

std::string authority_of(const Grid& grid, const GridPlant& plant) {
  return plant.authority == kNowhere ? "" : grid.authorities[plant.authority].code;
}

/// The plant that a node's source names: "at EIA plant 6030 Coal Creek (EIA-860)"; empty: none.
std::string named_plant(const GridNode& node) {
  std::smatch found;
  return std::regex_search(node.source, found, std::regex("at EIA plant ([0-9]+)")) ? found[1].str() : "";
}

void expect_within_percent(double actual, double expected, double percent, const std::string& what) {
  EXPECT_NEAR(actual, expected, std::abs(expected) * percent / 100) << what;
}
template <class Q>
void expect_within_percent(Q actual, Q expected, double percent, const std::string& what) {
  expect_within_percent(actual.count(), expected.count(), percent, what);
}

TEST(SmallGrid, LengthsAreNotBelowTheGreatCircle) {
  const Grid grid = shipped_grid();
  constexpr double kRounding_km = 1.6;  // of both ends' coordinates
  for (const GridLine& line : grid.lines) {
    const double least_km = distance_km(grid.nodes[line.from].at, grid.nodes[line.to].at);
    EXPECT_GE(line.length.count(), least_km - kRounding_km) << line.name;
    EXPECT_LE(line.length.count(), 2 * least_km + kRounding_km) << line.name;
  }
}

TEST(SmallGrid, TiesBackToBackStandAtOnePlaceBetweenTwoInterconnections) {
  const Grid grid = shipped_grid();
  double east_west_mw = 0;
  for (const GridLine& line : grid.lines) {
    const GridNode& from = grid.nodes[line.from];
    const GridNode& to = grid.nodes[line.to];
    if (line.kind == "AC") {
      EXPECT_EQ(from.interconnection, to.interconnection) << line.name;
    }
    if (from.interconnection == to.interconnection) continue;
    EXPECT_EQ(line.kind, "B2B") << line.name;
    EXPECT_EQ(distance_km(from.at, to.at), 0) << line.name;
    const bool ercot = from.interconnection == "ERCOT" || to.interconnection == "ERCOT";
    if (!ercot) east_west_mw += line.forward.count();
  }
  // NREL, The Value of Increased HVDC Capacity Between Eastern and Western U.S. Grids (2020): seven
  // facilities.
  EXPECT_EQ(east_west_mw, 1320);
}

TEST(SmallGrid, PlantsAreThoseOfTheLargeGrid) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid small = shipped_grid();
  const Grid large = read_grid(published_grid_folder());
  const auto plants = by_id(large.plants);
  for (const GridPlant& plant : small.plants) {
    ASSERT_TRUE(plants.contains(plant.id)) << plant.name;
    const GridPlant& same = plants.at(plant.id);
    EXPECT_EQ(plant.name, same.name);
    expect_within_percent(plant.capacity, same.capacity, 1, plant.name);
    expect_within_percent(plant.nameplate.value_or(Megawatts()), same.nameplate.value_or(Megawatts()), 1,
                          plant.name);
    expect_within_percent(plant.firm, same.firm, 1, plant.name);
    expect_within_percent(plant.coal, same.coal, 1, plant.name);
    EXPECT_LT(distance_km(plant.at, same.at), 1) << plant.name;
    EXPECT_LT(distance_km(plant.at, small.nodes[plant.node].at), 5) << plant.name;
    EXPECT_EQ(plant.fuel, same.fuel) << plant.name;
    EXPECT_EQ(authority_of(small, plant), authority_of(large, same)) << plant.name;
    EXPECT_EQ(plant.grid_voltage, same.grid_voltage) << plant.name;
  }
}

TEST(SmallGrid, HasTheThirtyLargestPlants) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  std::vector<GridPlant> plants = read_grid(published_grid_folder()).plants;
  std::sort(plants.begin(), plants.end(),
            [](const GridPlant& a, const GridPlant& b) { return a.capacity > b.capacity; });
  const auto shipped = by_id(shipped_grid().plants);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_TRUE(shipped.contains(plants[i].id)) << plants[i].name;
}

TEST(SmallGrid, EndsStandAtThePlantsThatTheirSourcesName) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const auto plants = by_id(read_grid(published_grid_folder()).plants);
  const std::set<std::string> retired = {"127"};  // Oklaunion, 2020
  std::size_t held = 0;
  for (const GridNode& node : shipped_grid().nodes) {
    const std::string id = named_plant(node);
    if (id.empty() || retired.contains(id)) continue;
    ASSERT_TRUE(plants.contains(id)) << node.id;
    EXPECT_LT(distance_km(node.at, plants.at(id).at), 5) << node.id;
    ++held;
  }
  EXPECT_GE(held, 15U);
}

TEST(SmallGrid, TiesHaveTheRatingsOfReeds) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const auto sum_mw = [](const Grid& grid, const std::set<std::string>& words) {
    double mw = 0;
    for (const GridLine& line : grid.lines)
      for (const std::string& word : words)
        if (line.kind != "AC" && line.name.find(word) != std::string::npos) {
          mw += line.forward.count();
          break;
        }
    return mw;
  };
  const Grid small = shipped_grid();
  const Grid large = read_grid(published_grid_folder());
  for (const std::set<std::string>& same : std::vector<std::set<std::string>>{{"Miles City"},
                                                                              {"Rapid City"},
                                                                              {"Virginia Smith", "Stegall"},
                                                                              {"Lamar"},
                                                                              {"Blackwater"},
                                                                              {"Artesia"},
                                                                              {"Oklaunion"},
                                                                              {"Welsh"}})
    EXPECT_EQ(sum_mw(small, same), sum_mw(large, same)) << *same.begin();
  // CU and Square Butte are one row there; Square Butte's last 50 MW are younger.
  expect_within_percent(sum_mw(small, {"CU", "Square Butte"}), sum_mw(large, {"Square Butte"}), 5, "CU");
}

TEST(SmallGrid, AuthoritiesAndPricesAreThoseOfTheLargeGrid) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid large = read_grid(published_grid_folder());
  const auto authorities = by_code(large.authorities);
  for (const Authority& a : shipped_grid().authorities) {
    ASSERT_TRUE(authorities.contains(a.code)) << a.code;
    const Authority& same = authorities.at(a.code);
    expect_within_percent(a.installed.value(), same.installed.value(), 1, a.code);
    expect_within_percent(a.firm.value(), same.firm.value(), 1, a.code);
    EXPECT_EQ(a.interconnection, same.interconnection) << a.code;
    EXPECT_EQ(a.published, same.published) << a.code;
    if (a.peak_demand) {
      EXPECT_EQ(a.peak_demand, same.peak_demand) << a.code;
    }
  }
  const auto states = by_code(large.states);
  for (const GridState& s : shipped_grid().states) {
    ASSERT_TRUE(states.contains(s.code)) << s.code;
    expect_within_percent(s.price.value(), states.at(s.code).price.value(), 1, s.code);
  }
}

}  // namespace
}  // namespace trainyard
