// Power nodes: by hand on the triangle, by brute force on random grids, against the published vectors.
#include "siting/power_nodes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/csv.h"
#include "facility/fuels.h"
#include "facility/geo.h"
#include "grids.h"
#include "published_grid.h"
#include "siting/delivery.h"
#include "trainyard/files.h"

namespace trainyard {
namespace {

constexpr GeoPoint kGasOne{10, 20};
constexpr GeoPoint kWashington{38.89511, -77.03637};

// 900 MW of gas in 001; lines bring 200 (reverse of 001-002) and 150 (the tie's reverse) into it.
TEST(PowerNode, OfThePlaceAlone) {
  const Grid grid = parse_grid("g", triangle());
  const SiteInput input;
  const PowerNode node = PowerNodes(grid, input).at(kGasOne, Kilometres(10));
  EXPECT_EQ(node.plants, std::vector<std::uint32_t>{0});
  EXPECT_EQ(node.nodes, std::vector<std::uint32_t>{0});
  EXPECT_EQ(node.generation.count(), 900);
  EXPECT_EQ(node.imports.count(), 350);
  EXPECT_EQ(node.imports_n1.count(), 150);
  EXPECT_EQ(node.local_load.count(), 500);
  EXPECT_EQ(node.authority, "AA");
  EXPECT_EQ(node.top_fuel, Fuel::gas);
  EXPECT_FALSE(node.rule_ok);  // 350 MW cannot stand in for the plant's 900
  EXPECT_EQ(node.paper.count(), 0);
}

TEST(PowerNode, WithImportsForTheLargestPlant) {
  const Grid grid = parse_grid("g", triangle_with("lines.csv", "300,200", "300,1000"));
  const SiteInput input;
  const PowerNodes nodes(grid, input);
  // The two nodes to the north: 900 + 300 MW, the ties bring 150 (reverse) and 80.
  EXPECT_FALSE(nodes.at(kGasOne, Kilometres(111.2))
                   .rule_ok);  // 230 MW enter all three corners but none: everything is in
  const PowerNode alone = nodes.at(kGasOne, Kilometres(10));
  EXPECT_TRUE(alone.rule_ok);
  EXPECT_EQ(alone.paper.count(), 0);       // 900 - 900
  EXPECT_EQ(alone.strict.count(), 0);      // 900 + 150 - 500 - 900
  EXPECT_EQ(alone.autonomous.count(), 0);  // 900 - 500 - 900
}

TEST(PowerNode, TheRadiusIsInclusiveAndTheNearestNodeAlwaysIn) {
  const Grid grid = parse_grid("g", triangle());
  const SiteInput input;
  const PowerNodes nodes(grid, input);
  EXPECT_EQ(nodes.at(kGasOne, Kilometres(0)).plants.size(), 1U);
  const PowerNode away = nodes.at({-40, -100}, Kilometres(5));
  EXPECT_TRUE(away.plants.empty());
  EXPECT_EQ(away.nodes.size(), 1U);
  EXPECT_FALSE(away.rule_ok);
  EXPECT_EQ(nodes.at(kGasOne, Kilometres(30000)).plants.size(), 3U);   // more than around the Earth
  EXPECT_EQ(nodes.at(kGasOne, Kilometres(30000)).imports.count(), 0);  // nothing is outside
}

TEST(PowerNode, CoalRulesAPlaceOutAsAsked) {
  // 500 MW of gas and 400 of coal at one place, 800 MW of lines.
  GridTexts texts = triangle_with("plants.csv", "10.0,21.0,400,coal", "10.0,20.0,400,coal");
  texts["lines.csv"] = grid_text("lines.csv", "from_node,to_node,capacity_fwd_mw\n001,002,1000\n");
  std::string plants = texts.at("plants.csv")->text;
  plants.replace(plants.find("900,gas"), 7, "390,gas");
  texts["plants.csv"] = grid_text("plants.csv", plants);
  const Grid grid = parse_grid("g", texts);
  SiteInput input;
  EXPECT_FALSE(PowerNodes(grid, input).at(kGasOne, Kilometres(1)).rule_ok);
  input.coal = CoalRule::majority;  // 400 of 790
  EXPECT_FALSE(PowerNodes(grid, input).at(kGasOne, Kilometres(1)).rule_ok);
  input.coal = CoalRule::allowed;
  EXPECT_EQ(PowerNodes(grid, input).at(kGasOne, Kilometres(1)).paper.count(), 390);
  input.count_coal = false;
  EXPECT_EQ(PowerNodes(grid, input).at(kGasOne, Kilometres(1)).paper.count(), 0);  // 390 - 400
}

TEST(PowerNode, CreditsAndUnitsChangeWhatCounts) {
  GridTexts texts = triangle();
  texts["plants.csv"] = grid_text("plants.csv",
                                  "plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel,largest_unit_mw\n"
                                  "a,Twin,10,20,200,nuclear,100\nb,Wind,10,20,100,wind,\n");
  const Grid grid = parse_grid("g", texts);
  SiteInput input;
  EXPECT_EQ(PowerNodes(grid, input).at(kGasOne, Kilometres(1)).paper.count(), 100);
  input.reserve = ReserveRule::unit;
  EXPECT_EQ(PowerNodes(grid, input).at(kGasOne, Kilometres(1)).paper.count(), 200);
  input.wind_credit = 0.25;
  EXPECT_EQ(PowerNodes(grid, input).at(kGasOne, Kilometres(1)).paper.count(), 125);
}

TEST(PowerNode, IsWhatABruteForceSumFinds) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> degrees(-3, 3);
  for (int round = 0; round < 20; ++round) {
    Grid grid;
    for (std::uint32_t n = 0; n < 40; ++n) {
      GridNode node;
      node.id = std::to_string(n);
      node.at = {50 + degrees(random), degrees(random)};
      node.peak_load = Megawatts(static_cast<double>(random() % 100));
      grid.nodes.push_back(node);
      GridPlant plant;
      plant.at = {50 + degrees(random), degrees(random)};
      plant.capacity = plant.firm = Megawatts(static_cast<double>(random() % 1000));
      plant.node = n;
      plant.fuel = Fuel::gas;
      grid.plants.push_back(plant);
    }
    for (int l = 0; l < 100; ++l) {
      GridLine line;
      line.from = static_cast<std::uint32_t>(random() % 40);
      line.to = (line.from + 1 + static_cast<std::uint32_t>(random() % 39)) % 40;
      line.forward = Megawatts(static_cast<double>(random() % 500));
      line.reverse = Megawatts(static_cast<double>(random() % 500));
      grid.lines.push_back(line);
    }
    const SiteInput input;
    const PowerNodes nodes(grid, input);
    const GeoPoint place{50 + degrees(random), degrees(random)};
    const double radius_km = 20 + 10 * round;
    double generation = 0;
    for (const GridPlant& p : grid.plants) {
      if (distance_km(p.at, place) <= radius_km) generation += p.capacity.count();
    }
    std::vector<bool> inside(40);
    std::size_t nearest = 0;
    for (std::size_t n = 0; n < 40; ++n) {
      inside[n] = distance_km(grid.nodes[n].at, place) <= radius_km;
      if (distance_km(grid.nodes[n].at, place) < distance_km(grid.nodes[nearest].at, place)) nearest = n;
    }
    inside[nearest] = true;
    double import = 0;
    for (const GridLine& l : grid.lines) {
      if (inside[l.to] && !inside[l.from]) import += l.forward.count();
      if (inside[l.from] && !inside[l.to]) import += l.reverse.count();
    }
    const PowerNode node = nodes.at(place, Kilometres(radius_km));
    EXPECT_NEAR(node.generation.count(), generation, 1e-9);
    EXPECT_NEAR(node.imports.count(), import, 1e-9);
    EXPECT_EQ(node.nearest_node, nearest);
  }
}

// The vectors that come with the grid of the United States: 20 power nodes.
TEST(PublishedGrid, EveryPowerNodeIsAsPublished) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid grid = read_grid(published_grid_folder());
  const SiteInput input;
  const PowerNodes nodes(grid, input);
  const auto records = parse_csv(read_file(published_grid_folder() + "/expected_nodes.csv"));
  ASSERT_EQ(records.size(), 21U);
  for (std::size_t r = 1; r < records.size(); ++r) {
    std::map<std::string, std::string> row;
    for (std::size_t c = 0; c < records[0].size(); ++c) row[records[0][c]] = records[r][c];
    const auto number = [&](const char* name) { return std::stod(row.at(name)); };
    const PowerNode node = nodes.at({number("lat_deg"), number("lon_deg")}, Kilometres(number("radius_km")));
    SCOPED_TRACE(row["site"] + " " + row["radius_km"]);
    EXPECT_EQ(node.plants.size(), number("plants"));
    EXPECT_EQ(node.nodes.size(), number("nodes"));
    EXPECT_EQ(grid.plants[node.largest].name, row["largest_name"]);
    EXPECT_EQ(fuel_name(node.top_fuel), row["top_fuel"]);
    EXPECT_EQ(node.authority, row["ba"]);
    EXPECT_EQ(node.rule_ok, row["rule_ok"] == "1");
    constexpr double kTolerance_mw = 0.2;
    EXPECT_NEAR(node.generation.count(), number("generation_mw"), kTolerance_mw);
    EXPECT_NEAR(node.firm.count(), number("firm_mw"), kTolerance_mw);
    EXPECT_NEAR(node.coal.count(), number("coal_mw"), kTolerance_mw);
    EXPECT_NEAR(node.largest_power.count(), number("largest_mw"), kTolerance_mw);
    EXPECT_NEAR(node.imports.count(), number("import_mw"), kTolerance_mw);
    EXPECT_NEAR(node.imports_n1.count(), number("import_n1_mw"), kTolerance_mw);
    EXPECT_NEAR(node.local_load.count(), number("local_load_mw"), kTolerance_mw);
    EXPECT_NEAR(node.paper.count(), number("avail_paper_mw"), kTolerance_mw);
    EXPECT_NEAR(node.autonomous.count(), number("avail_autonomous_mw"), kTolerance_mw);
    EXPECT_NEAR(node.strict.count(), number("avail_strict_mw"), kTolerance_mw);
  }
}

TEST(PublishedGrid, EdgesAreAsPublished) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid grid = read_grid(published_grid_folder());
  const SiteInput input;
  const PowerNodes nodes(grid, input);
  const PowerNode desert = nodes.at({39.5, -116.5}, Kilometres(1));
  EXPECT_TRUE(desert.plants.empty());
  EXPECT_EQ(desert.nodes.size(), 1U);
  EXPECT_NEAR(desert.imports.count(), 1841.9, 0.2);
  EXPECT_FALSE(desert.rule_ok);
  EXPECT_EQ(desert.paper.count(), 0);
  EXPECT_TRUE(nodes.at(kWashington, Kilometres(0)).plants.empty());
  EXPECT_EQ(nodes.at(kWashington, Kilometres(0)).nodes.size(), 1U);
  const GeoPoint amos{38.4731, -81.8233};
  const PowerNode coal = nodes.at(amos, Kilometres(25));
  EXPECT_NEAR(coal.generation.count(), 2918.7, 0.2);
  EXPECT_NEAR(coal.largest_power.count(), 2900.0, 0.2);
  EXPECT_EQ(coal.top_fuel, Fuel::coal);
  EXPECT_EQ(coal.paper.count(), 0);
  EXPECT_EQ(nodes.at(amos, Kilometres(0)).plants.size(), 1U);
}

TEST(PublishedGrid, LeastRadiiAroundWashington) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid grid = read_grid(published_grid_folder());
  const SiteInput input;
  const PowerNodes nodes(grid, input);
  EXPECT_EQ(nodes.least_radius_km(kWashington, PowerRule::paper, Megawatts(4160)), 54);
  EXPECT_EQ(nodes.least_radius_km(kWashington, PowerRule::paper, Megawatts(4710)), 54);
  EXPECT_EQ(nodes.least_radius_km(kWashington, PowerRule::autonomous, Megawatts(4160)), 173);
  EXPECT_EQ(nodes.least_radius_km(kWashington, PowerRule::autonomous, Megawatts(4710)), 194);
  EXPECT_EQ(nodes.least_radius_km(kWashington, PowerRule::strict, Megawatts(4160)), 22);
  EXPECT_EQ(nodes.least_radius_km(kWashington, PowerRule::strict, Megawatts(4710)), 22);
}

TEST(PublishedGrid, DeliverablePowerIsAsPublished) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid grid = read_grid(published_grid_folder());
  const SiteInput input;
  const PowerNodes nodes(grid, input);
  const DeliveryNetwork network(grid);
  constexpr double kTolerance_mw = 20;  // the vectors are of flows in whole MW
  EXPECT_NEAR(network.load().count(), 812757, kTolerance_mw);
  EXPECT_NEAR(network.served_load().count(), 800407, kTolerance_mw);
  const Deliverable near = network.deliverable(nodes.at(kWashington, Kilometres(25)), false);
  EXPECT_NEAR(near.intact.count(), 9915, kTolerance_mw);
  EXPECT_NEAR(near.producer_lost.count(), 9915, kTolerance_mw);
  const Deliverable far = network.deliverable(nodes.at(kWashington, Kilometres(100)), false);
  EXPECT_NEAR(far.intact.count(), 20776, kTolerance_mw);
  EXPECT_NEAR(far.producer_lost.count(), 19050, kTolerance_mw);
  const Deliverable celilo = network.deliverable(nodes.at({45.595, -121.115}, Kilometres(25)), false);
  EXPECT_NEAR(celilo.intact.count(), 12999, kTolerance_mw);
  EXPECT_NEAR(celilo.producer_lost.count(), 11232, kTolerance_mw);
}

}  // namespace
}  // namespace trainyard
