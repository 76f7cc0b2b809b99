#include "network/flow/networks.h"

#include <gtest/gtest.h>

#include <map>

#include "network/flow/max_min.h"
#include "network/wiring/faults.h"
#include "network/wiring/paths.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "topology/routing.h"
#include "topology/shortest_paths.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/load_balancing.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/topology_kind.h"
#include "water_filling.h"

namespace trainyard::flow {
namespace {

Scenario plain() {
  return ScenarioText::parse(
             std::make_shared<const SourceText>(SourceText{
                 "test.toml",
                 "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"}))
      .resolve();
}

struct Wanted {
  std::int64_t hosts = 64;
  std::int64_t radix = 16;
  std::int64_t planes = 1;
  std::vector<double> oversubscription = {};
  TopologyKind topology = TopologyKind::fat_tree;
};

NetworkDesign design(const Wanted& wanted) {
  static const Scenario scenario = plain();
  DesignInput input;
  input.name = "test";
  input.topology = wanted.topology;
  input.hosts = wanted.hosts;
  input.domain = 1;
  input.radix = wanted.radix;
  input.planes = wanted.planes;
  input.rate = BitRate(100e9 * static_cast<double>(wanted.planes));
  input.oversubscription = wanted.oversubscription;
  return resolve_design(scenario, input);
}

std::vector<RouteQuery> random_pairs(RandomNetwork& random, std::uint32_t hosts, std::size_t count) {
  std::vector<RouteQuery> out;
  while (out.size() < count) {
    const RouteQuery query{static_cast<std::uint32_t>(random.below(hosts)),
                           static_cast<std::uint32_t>(random.below(hosts)), out.size()};
    if (query.from != query.to) out.push_back(query);
  }
  return out;
}

std::vector<double> rates(const Network& network, const std::vector<RouteQuery>& queries,
                          const DownLinks& down = {}) {
  MaxMinProblem problem;
  problem.capacity = network.capacities();
  Route route;
  for (const RouteQuery& query : queries) {
    EXPECT_TRUE(network.route(query, down, route));
    problem.add(route);
  }
  return max_min(problem).rate;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t f = 0; f < a.size(); ++f) ASSERT_NEAR(a[f], b[f], 1e-9 * b[f]) << "flow " << f;
}

constexpr double kLink = 12.5e9;  // bytes a second

TEST(FlowNetworks, BlocksLinksAndTheGraphOfASprayedClosGiveTheSameRates) {
  RandomNetwork random(1);
  const std::vector<Wanted> shapes = {{64, 16, 1, {}},  {64, 16, 2, {}}, {128, 8, 1, {}},
                                      {60, 16, 1, {3}}, {16, 16, 1, {}}, {128, 8, 4, {}}};
  for (const Wanted& wanted : shapes) {
    const NetworkDesign d = design(wanted);
    const auto pairs = random_pairs(random, static_cast<std::uint32_t>(wanted.hosts), 200);
    const std::vector<double> blocks = rates(*network_of(d, {}), pairs);
    ASSERT_NO_FATAL_FAILURE(expect_same(rates(*network_of(d, {.failures = true}), pairs), blocks));
    ASSERT_NO_FATAL_FAILURE(expect_same(rates(*graph_links(d, {}), pairs), blocks));
  }
}

TEST(FlowNetworks, ASpineThatGetsMoreThanItPassesOnHoldsASprayedFlowBack) {
  // 22 hosts, 8 ports: 6 leaves of 3 or 4 hosts with 4 links up, dealt to 3 spines as 2, 1, 1 from each
  // leaf's own first one on. Leaf 0 has two links to spine 0, leaf 1 one: half of what leaf 0 sends comes
  // down there.
  const NetworkDesign d = design({22, 8, 1});
  const ClosShape& shape = *d.fabric->clos();
  ASSERT_EQ(shape.tiers[0].uplinks, 4);
  ASSERT_EQ(shape.tiers[1].group, 3);
  EXPECT_FALSE(shape.even());
  std::vector<RouteQuery> queries;  // all of leaf 0 to all of leaf 1
  for (std::uint32_t h = 0; h < 4; ++h) queries.push_back({h, 4 + h, h});
  for (const double rate : rates(*network_of(d, {}), queries)) EXPECT_NEAR(rate, kLink / 2, 1);
  RandomNetwork random(3);
  for (const Wanted& wanted : {Wanted{22, 8, 1, {}}, {36, 8, 2, {}}, {70, 8, 1, {}}}) {
    const NetworkDesign uneven = design(wanted);
    EXPECT_FALSE(uneven.fabric->clos()->even());
    const auto pairs = random_pairs(random, static_cast<std::uint32_t>(wanted.hosts), 200);
    ASSERT_NO_FATAL_FAILURE(expect_same(rates(*network_of(uneven, {}), pairs),
                                        rates(*network_of(uneven, {.failures = true}), pairs)));
  }
}

TEST(FlowNetworks, IncastSharesTheReceiversLink) {
  const auto network = network_of(design({}), {});
  std::vector<RouteQuery> queries;
  for (std::uint32_t h = 1; h < 64; ++h) queries.push_back({h, 0, h});
  for (const double rate : rates(*network, queries)) EXPECT_NEAR(rate, kLink / 63, 1);
}

TEST(FlowNetworks, OversubscriptionDividesWhatLeavesALeaf) {
  // Every host sends to the one 12 further, in the next leaf: 12 hosts of a leaf share 4 links up.
  const NetworkDesign d = design({60, 16, 1, {3}});
  const auto layout = wiring::lay_out(*d.fabric->clos(), 1, {{}}, whole("test"));
  const auto network = network_of(d, {});
  std::vector<RouteQuery> queries;
  for (std::uint32_t h = 0; h < 60; ++h) {
    queries.push_back({h, (h + 12) % 60, h});
    ASSERT_EQ(layout.meeting_tier(h, (h + 12) % 60), 1U);
  }
  ASSERT_EQ(layout.uplinks_leaf, 4U);
  for (const double rate : rates(*network, queries)) EXPECT_NEAR(rate, kLink * 4 / 12, 1);
}

TEST(FlowNetworks, PlanesAddUpWhenSprayedAndOneIsLeftToASinglePath) {
  const NetworkDesign d = design({64, 16, 4});
  const std::vector<RouteQuery> one = {{0, 63, 5}};
  EXPECT_NEAR(rates(*network_of(d, {}), one)[0], 4 * kLink, 1);
  EXPECT_NEAR(rates(*network_of(d, {.failures = true}), one)[0], 4 * kLink, 1);
  EXPECT_NEAR(rates(*network_of(d, {.load_balancing = LoadBalancing::ecmp}), one)[0], kLink, 1);
}

TEST(FlowNetworks, SinglePathsAreThoseOfThePacketEngine) {
  RandomNetwork random(2);
  for (const Wanted& wanted : std::vector<Wanted>{{64, 16, 2}, {128, 8, 1}}) {
    const NetworkDesign d = design(wanted);
    const wiring::Layout layout =
        wiring::lay_out(*d.fabric->clos(), static_cast<std::uint32_t>(wanted.planes), {{}}, whole("test"));
    for (const LoadBalancing choice : {LoadBalancing::ecmp, LoadBalancing::fixed}) {
      const auto network = network_of(d, {.load_balancing = choice, .seed = 7});
      std::vector<workload::Flow> flows(200);
      const auto pairs = random_pairs(random, layout.hosts(), flows.size());
      const wiring::LinkState links;
      wiring::Paths paths(layout, links, choice, 0, 7, flows);
      for (std::uint32_t f = 0; f < flows.size(); ++f) {
        wiring::Way way;
        way.flow = f;
        way.to = layout.address_of_host[pairs[f].to];
        const std::uint32_t plane = paths.plane_of(f, false);
        wiring::Paths::State state;
        paths.choose(way, pairs[f].from, plane, false, 0, state);
        Route expected;
        std::uint32_t port = layout.port_of_host(pairs[f].from, plane);
        while (true) {
          expected.push_back({port, 1});
          const wiring::Node& node = layout.nodes[layout.wires[port].node];
          if (node.hosts) break;
          port = node.first_port + port_towards(layout, node, way);
        }
        Route route;
        ASSERT_TRUE(network->route(pairs[f], {}, route));
        ASSERT_EQ(route, expected);
      }
    }
  }
}

/// A leaf's links up of a layout.
std::vector<std::uint32_t> uplinks(const wiring::Layout& layout, std::uint32_t host) {
  const wiring::Node& leaf = layout.nodes[layout.wires[layout.port_of_host(host, 0)].node];
  std::vector<std::uint32_t> out;
  for (std::uint32_t p = leaf.ports_down; p < leaf.ports; ++p) out.push_back(leaf.first_port + p);
  return out;
}

TEST(FlowNetworks, KnownFailuresLeaveTheOtherLinks) {
  const NetworkDesign d = design({});
  const wiring::Layout layout = wiring::lay_out(*d.fabric->clos(), 1, {{}}, whole("test"));
  std::vector<RouteQuery> all_of_leaf;
  for (std::uint32_t h = 0; h < 8; ++h) all_of_leaf.push_back({h, 8 + h, h});
  for (const LoadBalancing choice : {LoadBalancing::spray, LoadBalancing::ecmp}) {
    const auto network = network_of(d, {.load_balancing = choice, .failures = true});
    DownLinks down;
    const std::vector<std::uint32_t> up = uplinks(layout, 0);
    for (std::size_t i = 0; i < up.size(); ++i) {
      Route route;
      for (const RouteQuery& query : all_of_leaf) {
        ASSERT_TRUE(network->route(query, down, route));
        for (const LinkShare& use : route) ASSERT_FALSE(down.is_down(use.link));
      }
      if (choice == LoadBalancing::spray) {
        const double share = static_cast<double>(up.size() - i) / 8;
        for (const double rate : rates(*network, all_of_leaf, down)) ASSERT_NEAR(rate, kLink * share, 1);
      }
      down.set(up[i], true);
    }
    Route route;
    EXPECT_FALSE(network->route(all_of_leaf[0], down, route));
    EXPECT_TRUE(network->route({0, 1, 0}, down, route));
  }
}

TEST(FlowNetworks, UnknownFailuresStopAPathAndThinOutASpray) {
  const NetworkDesign d = design({});
  const wiring::Layout layout = wiring::lay_out(*d.fabric->clos(), 1, {{}}, whole("test"));
  DownLinks down;
  down.set(uplinks(layout, 0)[3], true);
  const auto sprayed = network_of(d, {.failures = true, .failures_known = false});
  Route route;
  ASSERT_TRUE(sprayed->route({0, 63, 0}, down, route));
  // One of 8 paths loses its bytes: 8/7 are sent for what arrives, and 1 is received.
  EXPECT_EQ(route.front().link, layout.port_of_host(0, 0));
  std::map<std::uint32_t, double> share;
  for (const LinkShare& use : route) share[use.link] = use.share;
  EXPECT_NEAR(share[layout.port_of_host(0, 0)], 8.0 / 7, 1e-12);
  EXPECT_EQ(share.count(uplinks(layout, 0)[3]), 0U);
  EXPECT_NEAR(share[uplinks(layout, 0)[2]], 1.0 / 7, 1e-12);
  const auto hashed =
      network_of(d, {.load_balancing = LoadBalancing::ecmp, .failures = true, .failures_known = false});
  for (std::uint64_t hash = 0; hash < 20; ++hash) {
    Route before;
    ASSERT_TRUE(hashed->route({0, 63, hash}, {}, before));
    ASSERT_TRUE(hashed->route({0, 63, hash}, down, route));
    EXPECT_EQ(route, before);
  }
}

/// Bytes that enter and leave every node of a graph, of a flow of 1 between two of its nodes.
void expect_flow(const Graph& graph, const Routing& routing, const Route& route, std::uint32_t from,
                 std::uint32_t to) {
  std::vector<double> net(graph.nodes, 0);
  double links = 0;
  for (const LinkShare& use : route) {
    const Link& link = graph.links[use.link / 2 % graph.links.size()];
    const bool forth = use.link % 2 == 0;
    net[forth ? link.a : link.b] -= use.share;
    net[forth ? link.b : link.a] += use.share;
    links += use.share;
  }
  for (std::uint32_t node = 0; node < graph.nodes; ++node) {
    const double expected = node == from ? -1 : node == to ? 1 : 0;
    ASSERT_NEAR(net[node], expected, 1e-12) << graph.name_of(node);
  }
  ASSERT_NEAR(links, routing.distances(to)[from], 1e-12);
}

TEST(FlowNetworks, RoutesOfAnyTopologyAreShortestPathsThatLoseNothing) {
  const Scenario scenario = ScenarioText::load("topologies").resolve();
  RandomNetwork random(3);
  std::size_t tried = 0;
  for (const NetworkDesign& d : designs_of(scenario)) {
    if (d.hosts > 20000 || d.networks > 1 || d.gateways > 0) continue;
    ++tried;
    SCOPED_TRACE(d.input.name);
    const Graph graph = build_graph(d, {.planes = 1, .networks = 1});
    const Routing routing(graph);
    const auto sprayed = graph_links(d, {});
    const auto hashed = graph_links(d, {.load_balancing = LoadBalancing::ecmp});
    std::vector<std::uint32_t> node_of(sprayed->hosts());  // nodes are numbered by device
    for (std::uint32_t node = 0; node < node_of.size(); ++node)
      node_of[static_cast<std::size_t>(d.place_of(node).endpoint)] = node;
    for (const RouteQuery& query : random_pairs(random, sprayed->hosts(), 3)) {
      Route route;
      ASSERT_TRUE(sprayed->route(query, {}, route));
      ASSERT_NO_FATAL_FAILURE(expect_flow(graph, routing, route, node_of[query.from], node_of[query.to]));
      ASSERT_TRUE(hashed->route(query, {}, route));
      ASSERT_NO_FATAL_FAILURE(expect_flow(graph, routing, route, node_of[query.from], node_of[query.to]));
      for (const LinkShare& use : route) ASSERT_EQ(use.share, 1);
    }
  }
  EXPECT_GE(tried, 4U);
}

TEST(FlowNetworks, GraphsAvoidLinksThatAreDown) {
  const NetworkDesign d = design({.hosts = 64, .topology = TopologyKind::hyperx});
  const auto network = graph_links(d, {.load_balancing = LoadBalancing::ecmp, .failures = true});
  DownLinks down;
  Route route;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(network->route({0, 63, 1}, down, route));
    for (const LinkShare& use : route) ASSERT_FALSE(down.is_down(use.link));
    down.set(route.at(1).link, true);
  }
  down.set(route.front().link, true);
  EXPECT_FALSE(network->route({0, 63, 1}, down, route));
}

TEST(FlowNetworks, LatencyIsDelaysAndAPacketAtEverySwitch) {
  // 4,096 B at 100 Gbps are 0.32768 us; 4 links of 1 us, 3 switches.
  const NetworkRules rules;
  EXPECT_NEAR(network_of(design({}), rules)->latency(0, 63, Bytes(1e6)).si(), 4e-6 + 3 * 0.32768e-6, 1e-12);
  EXPECT_NEAR(network_of(design({}), rules)->latency(0, 1, Bytes(0)).si(), 2e-6, 1e-12);
  EXPECT_NEAR(graph_links(design({}), rules)->latency(0, 63, Bytes(1e6)).si(), 4e-6 + 3 * 0.32768e-6, 1e-12);
}

/// Whichever end's distances are known already.
TEST(FlowNetworks, LatencyIsThatOfTheWayBack) {
  for (const TopologyKind kind : {TopologyKind::dragonfly_plus, TopologyKind::hyperx}) {
    const NetworkDesign d = design({.hosts = 200, .topology = kind});
    for (const std::uint32_t host : {1U, 17U, 100U, 199U}) {
      const auto there = graph_links(d, {}), back = graph_links(d, {});
      EXPECT_EQ(there->latency(host, 0, Bytes(4096)), back->latency(0, host, Bytes(4096)));
      EXPECT_EQ(there->latency(0, host, Bytes(4096)), back->latency(host, 0, Bytes(4096)));
    }
  }
}

}  // namespace
}  // namespace trainyard::flow
