// Maximum flows: by hand on the triangle, and against every cut of random grids.
#include "siting/delivery.h"

#include <gtest/gtest.h>

#include <random>

#include "grids.h"

namespace trainyard {
namespace {

// Gas 900 MW and load 500 in 001, load 50 in 002, coal 400 and load 100 in 003; 001-003 is a tie of 150 MW,
// and the AC line 002-003 joins two interconnections.
TEST(Delivery, OfTheTriangle) {
  const Grid grid = parse_grid("g", triangle());
  const DeliveryNetwork network(grid);
  EXPECT_EQ(network.load().count(), 650);
  EXPECT_EQ(network.served_load().count(), 650);
  // 900 - 500 - 50 MW of gas are left, and 150 of the 300 MW of coal pass the tie.
  EXPECT_EQ(network.headroom({{{0}, std::nullopt}}).count(), 500);
  EXPECT_EQ(network.headroom({{{2}, std::nullopt}}).count(), 450);  // 300 of coal, 150 through the tie
  EXPECT_EQ(network.headroom({{{1}, std::nullopt}}).count(), 250);  // 300 MW of line, 50 of them the load's
  EXPECT_EQ(network.headroom({{{0}, Megawatts(400)}, {{2}, Megawatts(150)}}).count(), 550);
  EXPECT_EQ(network.headroom({{{0}, Megawatts(600)}, {{2}, Megawatts(150)}}).count(),
            650);  // all that is left
}

TEST(Delivery, WithoutAProducerOrALine) {
  const Grid grid = parse_grid("g", triangle());
  const DeliveryNetwork network(grid);
  EXPECT_EQ(network.served_load({.plant = 0}).count(), 250);  // coal: its own 100, 150 through the tie
  EXPECT_EQ(network.headroom({{{0}, std::nullopt}}, {.plant = 0}).count(), 0);
  EXPECT_EQ(network.headroom({{{0}, std::nullopt}}, {.line = 1}).count(), 350);
  EXPECT_EQ(network.served_load({.line = 0}).count(), 600);
}

PowerNode node_of(std::uint32_t node, std::uint32_t largest, const std::vector<std::uint32_t>& boundary) {
  PowerNode out;
  out.nodes = {node};
  out.largest = largest;
  out.boundary = boundary;
  return out;
}

TEST(Delivery, OfASplitAfterTheWorstLoss) {
  const Grid grid = parse_grid("g", triangle());
  const DeliveryNetwork network(grid);
  const PowerNode gas = node_of(0, 0, {0, 1});
  const PowerNode coal = node_of(2, 2, {1, 2});
  const std::vector<Drain> sites = {{{0}, Megawatts(400)}, {{2}, Megawatts(150)}};
  const JointFlow intact = network.joint(sites, {&gas, &coal}, false);
  EXPECT_EQ(intact.delivered.count(), 550);
  EXPECT_FALSE(intact.line_lost.has_value());
  EXPECT_TRUE(intact.survives());  // nobody looked
  const JointFlow flow = network.joint(sites, {&gas, &coal}, true);
  EXPECT_TRUE(flow.holds());
  // Without the gas: 400 MW of coal less 100 of its own load and 150 through the tie. Without the coal 250
  // MW.
  EXPECT_EQ(flow.producer_lost->count(), 150);
  // Without the tie: 900 - 550 MW for the first site, all for the second.
  EXPECT_EQ(flow.line_lost->count(), 500);
  EXPECT_FALSE(flow.survives());
}

Grid random_grid(std::mt19937& random, std::uint32_t nodes) {
  const auto upto = [&](unsigned n) { return static_cast<double>(random() % n); };
  Grid grid;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    GridNode node;
    node.peak_load = Megawatts(upto(100));
    grid.nodes.push_back(node);
    GridPlant plant;
    plant.firm = plant.capacity = Megawatts(upto(150));
    plant.node = n;
    grid.plants.push_back(plant);
  }
  for (std::uint32_t l = 0; l < 2 * nodes; ++l) {
    GridLine line;
    line.kind = "AC";
    line.from = static_cast<std::uint32_t>(random() % nodes);
    line.to = (line.from + 1 + static_cast<std::uint32_t>(random() % (nodes - 1))) % nodes;
    line.forward = Megawatts(upto(60));
    line.reverse = Megawatts(upto(60));
    grid.lines.push_back(line);
  }
  return grid;
}

/// The least cut between generation and what draws: the maximum flow.
double least_cut(const Grid& grid, const std::vector<Drain>& sites) {
  double least = 1e18;
  for (unsigned inside = 0; inside < 1U << grid.nodes.size(); ++inside) {
    const auto in = [&](std::uint32_t n) { return (inside >> n & 1U) != 0; };
    double cut = 0;
    for (const GridPlant& p : grid.plants) cut += in(p.node) ? 0 : p.firm.count();
    for (std::uint32_t n = 0; n < grid.nodes.size(); ++n) cut += in(n) ? grid.nodes[n].peak_load.count() : 0;
    for (const GridLine& l : grid.lines) {
      if (in(l.from) && !in(l.to)) cut += l.forward.count();
      if (in(l.to) && !in(l.from)) cut += l.reverse.count();
    }
    for (const Drain& site : sites) {
      bool reached = false;
      for (const std::uint32_t n : site.nodes) reached |= in(n);
      if (reached) cut += site.wanted.value_or(Megawatts(1e15)).count();
    }
    least = std::min(least, cut);
  }
  return least;
}

TEST(Delivery, IsTheLeastCut) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const Grid grid = random_grid(random, 8);
    const DeliveryNetwork network(grid);
    const double served = least_cut(grid, {});
    EXPECT_NEAR(network.served_load().count(), served, 1e-6);
    for (const std::vector<Drain>& sites :
         {std::vector<Drain>{{{0, 1}, std::nullopt}},
          std::vector<Drain>{{{0}, Megawatts(40)}, {{5, 6}, Megawatts(70)}}})
      EXPECT_NEAR(network.headroom(sites).count(), least_cut(grid, sites) - served, 1e-6);
  }
}

}  // namespace
}  // namespace trainyard
