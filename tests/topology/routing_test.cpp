// Ways through graphs: valid, shortest, around failures, through HB domains.
#include "topology/routing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "designs.h"
#include "topology/topology.h"
#include "trainyard/topology_kind.h"

namespace trainyard {
namespace {

/// Whether the links lead from one node to the other.
bool leads(const Graph& graph, std::uint32_t from, std::uint32_t to, const Path& path) {
  std::uint32_t node = from;
  for (const std::uint32_t link : path) {
    const Link& l = graph.links[link];
    if (l.a != node && l.b != node) return false;
    node = l.a == node ? l.b : l.a;
  }
  return node == to;
}

RC_GTEST_PROP(Routing, EcmpPathsAreShortestAndStayTheSame, ()) {
  const auto hosts = *rc::gen::inRange<std::int64_t>(20, 200);
  const Graph graph = build_graph(small_design(small_input(TopologyKind::fat_tree, hosts, 8)));
  const Routing routing(graph);
  const auto from = static_cast<std::uint32_t>(*rc::gen::inRange<std::int64_t>(0, hosts));
  const auto to = static_cast<std::uint32_t>(*rc::gen::inRange<std::int64_t>(0, hosts));
  const auto flow = *rc::gen::arbitrary<std::uint64_t>();
  const auto path = routing.ecmp_path(from, to, flow);
  RC_ASSERT(path.has_value());
  RC_ASSERT(leads(graph, from, to, *path));
  RC_ASSERT(path->size() == routing.distances(to)[from]);
  RC_ASSERT(*path == *routing.ecmp_path(from, to, flow));
}

TEST(Routing, FlowsSpreadOverThePaths) {
  const Graph graph = build_graph(small_design(small_input(TopologyKind::fat_tree, 32, 8)));
  const Routing routing(graph);
  std::set<Path> paths;
  for (std::uint64_t flow = 0; flow < 200; ++flow) paths.insert(*routing.ecmp_path(0, 31, flow));
  const auto all = routing.spray_paths(0, 31, 100);
  EXPECT_EQ(paths, std::set<Path>(all.begin(), all.end()));
  EXPECT_EQ(all.size(), 4U);  // one for each spine
}

TEST(Routing, PlanesAreAllUsed) {
  DesignInput input = small_input(TopologyKind::fat_tree, 32, 8);
  input.planes = 4;
  const Graph graph = build_graph(small_design(input));
  EXPECT_EQ(Routing(graph).spray_paths(0, 31, 1000).size(), 16U);  // four spines in each of four planes
}

TEST(Routing, GoesAroundWhatFailed) {
  const Graph graph = build_graph(small_design(small_input(TopologyKind::fat_tree, 32, 8)));
  const auto whole_path = *Routing(graph).ecmp_path(0, 31, 7);
  const Link& up = graph.links[whole_path[1]];
  const Routing around(graph, {{up.b}, {}});  // the spine is down
  const auto path = around.ecmp_path(0, 31, 7);
  ASSERT_TRUE(path.has_value());
  EXPECT_TRUE(leads(graph, 0, 31, *path));
  for (const std::uint32_t link : *path) {
    EXPECT_NE(graph.links[link].a, up.b);
    EXPECT_NE(graph.links[link].b, up.b);
  }
  const Routing cut(graph, {{}, {whole_path[0]}});  // the host's only link is down
  EXPECT_FALSE(cut.ecmp_path(0, 31, 7).has_value());
}

TEST(Routing, RailsAreReachedThroughHbDomains) {
  // Rail-only '23 section 3.1: GPU 1 of domain 1 reaches GPU 2 of domain 2 by GPU 2 of domain 1, or by GPU 1
  // of domain 2.
  const NetworkDesign design = small_design(small_input(TopologyKind::rail_only, 64, 8));
  const Graph graph = build_graph(design, {.domains = true, .scale_up_rate = BitRate(3.6e12)});
  const Routing routing(graph);
  EXPECT_EQ(routing.ecmp_path(0, 8, 1)->size(), 2U);  // same rail: host, leaf, host
  const auto path = routing.ecmp_path(0, 9, 1);       // other rail, other domain
  ASSERT_TRUE(path.has_value());
  EXPECT_TRUE(leads(graph, 0, 9, *path));
  EXPECT_EQ(path->size(), 4U);
  const auto inside = std::count_if(path->begin(), path->end(), [&](std::uint32_t link) {
    return graph.run_of_link(link).name == "inside HB domains";
  });
  EXPECT_EQ(inside, 2);
  EXPECT_EQ(routing.spray_paths(0, 9, 10).size(), 2U);
}

TEST(Routing, AFailedRailIsReachedThroughAnother) {
  const NetworkDesign design = small_design(small_input(TopologyKind::rail_only, 64, 8));
  const Graph graph = build_graph(design, {.domains = true, .scale_up_rate = BitRate(3.6e12)});
  const auto normal = *Routing(graph).ecmp_path(0, 8, 1);
  const Routing routing(graph, {{graph.links[normal[0]].b}, {}});  // the rail's switch
  const auto path = routing.ecmp_path(0, 8, 1);
  ASSERT_TRUE(path.has_value());
  EXPECT_TRUE(leads(graph, 0, 8, *path));
  EXPECT_EQ(path->size(), 6U);  // through the domain, another rail, and the other domain
}

TEST(Graph, CableListsNameBothEnds) {
  const NetworkDesign design = small_design(small_input(TopologyKind::fat_tree, 8, 4));
  const Graph graph = build_graph(design);
  const std::string csv = cable_list(design);
  EXPECT_NE(csv.find("\"host 0\",0,\"leaf 0\",0,host to leaf"), std::string::npos) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + static_cast<std::ptrdiff_t>(graph.links.size()));
}

}  // namespace
}  // namespace trainyard
