// Closed-form counts against graphs, published networks, and maximum flows.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "designs.h"
#include "scenario/choices/designs.h"
#include "topology/fabric.h"
#include "topology/routing.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/topology_kind.h"

namespace trainyard {
namespace {

/// Counted on the full graph, all planes and networks: links and switches of every name.
void check_full_graph(const NetworkDesign& design) {
  const DesignCounts counts = count(design);
  const Graph graph = build_graph(design);
  std::vector<std::int64_t> degree(graph.nodes, 0);
  for (const Link& link : graph.links) {
    ++degree[link.a];
    ++degree[link.b];
    RC_ASSERT(link.a != link.b);
  }
  std::int64_t switches = 0;
  std::int64_t ports_used = 0;
  for (const NodeRun& run : graph.node_runs) {
    for (std::uint32_t node = run.begin; node < run.end; ++node) {
      RC_ASSERT(degree[node] >= 1);
      if (run.kind != NodeKind::electrical_switch) {
        RC_ASSERT(degree[node] == design.planes * design.fabric->host_links());
        continue;
      }
      RC_ASSERT(degree[node] <= design.part.ports);
      ++switches;
      ports_used += degree[node];
    }
  }
  RC_ASSERT(switches == counts.chips);
  RC_ASSERT(ports_used == counts.ports_used);
  for (const LinkCount& kind : counts.links) {
    std::int64_t links = 0;
    for (const LinkRun& run : graph.link_runs) {
      if (run.name == kind.name) links += run.end - run.begin;
    }
    RC_ASSERT(links == kind.links);
  }
}

/// The closed form against what the design's own graph says of tiers, links and ports.
void check_graph_counts(const NetworkDesign& design) {
  const DesignCounts closed = count(design);
  const DesignCounts graph = count_graph(design);
  RC_ASSERT(closed.chips == graph.chips);
  RC_ASSERT(closed.host_links == graph.host_links);
  RC_ASSERT(closed.switch_links == graph.switch_links);
  RC_ASSERT(closed.ports_used == graph.ports_used);
  RC_ASSERT(closed.tiers.size() == graph.tiers.size());
  for (std::size_t t = 0; t < closed.tiers.size(); ++t) {
    RC_ASSERT(closed.tiers[t].name == graph.tiers[t].name);
    RC_ASSERT(closed.tiers[t].switches == graph.tiers[t].switches);
    RC_ASSERT(closed.tiers[t].ports_used == graph.tiers[t].ports_used);
  }
}

/// Longest of the shortest paths from a host of one plane and network; every host must be reached.
std::int64_t longest_from(const NetworkDesign& design, std::uint32_t host) {
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  const Routing routing(graph);
  std::int64_t longest = 0;
  const auto distance = routing.distances(host);
  const auto hosts = static_cast<std::uint32_t>(design.fabric->endpoints());
  for (std::uint32_t other = 0; other < hosts; ++other) {
    RC_ASSERT(distance[other] != Routing::kUnreachable);
    longest = std::max<std::int64_t>(longest, distance[other]);
  }
  return longest;
}

std::int64_t diameter_of(const NetworkDesign& design) {
  std::int64_t diameter = 0;
  for (std::uint32_t host = 0; host < design.fabric->endpoints(); ++host)
    diameter = std::max(diameter, longest_from(design, host));
  return diameter;
}

/// Diameter, and the fewest paths between hosts that far apart.
void check_farthest(const NetworkDesign& design) {
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  const Routing routing(graph);
  const auto hosts = static_cast<std::uint32_t>(design.fabric->endpoints());
  std::uint32_t diameter = 0;
  double paths = 0;
  for (std::uint32_t to = 0; to < hosts; ++to) {
    const auto distance = routing.distances(to);
    for (std::uint32_t from = 0; from < hosts; ++from) {
      if (distance[from] < diameter) continue;
      const double ways = routing.count_paths(from, to);
      paths = distance[from] > diameter ? ways : std::min(paths, ways);
      diameter = distance[from];
    }
  }
  RC_ASSERT(diameter == design.fabric->counts().diameter || hosts == 1);
  RC_ASSERT(paths == design.fabric->counts().paths || hosts == 1 || diameter == 2);
}

/// Maximum flow from some hosts to the others, in links (Edmonds and Karp 1972).
double flow_between(const Graph& graph, const std::vector<char>& sends) {
  const auto hosts = static_cast<std::uint32_t>(sends.size());
  const Adjacency adjacency(graph);
  std::vector<int> flow(graph.links.size(), 0);  // from a to b
  const auto room = [&](std::uint32_t node, const Hop& hop) {
    return 1 - (graph.links[hop.link].a == node ? flow[hop.link] : -flow[hop.link]);
  };
  double total = 0;
  while (true) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> from(graph.nodes, {0, 0xFFFFFFFF});
    std::vector<char> seen(graph.nodes, 0);
    std::queue<std::uint32_t> queue;
    for (std::uint32_t h = 0; h < hosts; ++h) {
      if (!sends[h]) continue;
      seen[h] = 1;
      queue.push(h);
    }
    std::uint32_t end = 0xFFFFFFFF;
    while (!queue.empty() && end == 0xFFFFFFFF) {
      const std::uint32_t node = queue.front();
      queue.pop();
      for (const Hop& hop : adjacency.of(node)) {
        if (seen[hop.node] || room(node, hop) <= 0) continue;
        seen[hop.node] = 1;
        from[hop.node] = {node, hop.link};
        queue.push(hop.node);
        if (hop.node < hosts && !sends[hop.node]) {
          end = hop.node;
          break;
        }
      }
    }
    if (end == 0xFFFFFFFF) return total;
    for (std::uint32_t node = end; from[node].second != 0xFFFFFFFF; node = from[node].first)
      flow[from[node].second] += graph.links[from[node].second].a == from[node].first ? 1 : -1;
    total += 1;
  }
}

/// From the first half of the hosts to the second.
double flow_between_halves(const NetworkDesign& design) {
  std::vector<char> sends(static_cast<std::size_t>(design.fabric->endpoints()), 0);
  std::fill(sends.begin(), sends.begin() + design.fabric->endpoints() / 2, 1);
  return flow_between(build_graph(design, {.planes = 1, .networks = 1}), sends);
}

/// The least flow between halves of the hosts: every way to halve them.
double least_flow_of_halves(const NetworkDesign& design) {
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  std::vector<char> sends(static_cast<std::size_t>(design.fabric->endpoints()), 0);
  std::fill(sends.begin(), sends.begin() + design.fabric->endpoints() / 2, 1);
  double least = 1e9;
  do {
    least = std::min(least, flow_between(graph, sends));
  } while (std::prev_permutation(sends.begin(), sends.end()));
  return least;
}

/// Of one fabric, as counts of the design have it.
double bisection_of(const NetworkDesign& design) {
  return std::round(count(design).bisection / design.link_rate / static_cast<double>(design.fabrics()) * 2) /
         2;
}

/// Half of an odd number of hosts counts as N / 2 where the hosts' own links are the narrowest.
void expect_exact_bisection(const DesignInput& input) {
  const NetworkDesign design = small_design(input);
  EXPECT_EQ(std::floor(bisection_of(design)), least_flow_of_halves(design))
      << choice_name(input.topology) << " of " << *input.hosts << ", sides "
      << testing::PrintToString(input.dimensions);
}

TEST(Bisection, OfSmallGridsIsTheLeastOfAllHalves) {
  // A side that is odd cannot be halved by itself: 4 x 5 hosts are cut across the side of 4.
  for (const std::vector<std::int64_t>& sides : {std::vector<std::int64_t>{4, 4},
                                                 {3, 4},
                                                 {4, 3},
                                                 {2, 5},
                                                 {3, 3},
                                                 {2, 3, 2},
                                                 {9},
                                                 {8},
                                                 {2, 2, 3},
                                                 {3, 5}}) {
    DesignInput input = small_input(TopologyKind::torus, 1, 2);
    input.radix.reset();
    input.dimensions = sides;
    for (const std::int64_t side : sides) *input.hosts *= side;
    expect_exact_bisection(input);
    for (const std::int64_t hosts : {1, 2}) {
      DesignInput grid = small_input(TopologyKind::hyperx, *input.hosts * hosts, 32);
      grid.dimensions = sides;
      grid.hosts_per_switch = hosts;
      if (*grid.hosts <= 12) expect_exact_bisection(grid);
    }
  }
  DesignInput input = small_input(TopologyKind::torus, 20, 2);
  input.radix.reset();
  input.dimensions = {4, 5};
  EXPECT_EQ(small_design(input).fabric->counts().bisection_links, 10);
}

TEST(Bisection, OfSmallTreesIsTheLeastOfAllHalves) {
  // Leaves that cannot be halved among them, of unlike sizes, with one to three tiers.
  for (const std::int64_t hosts : {4, 5, 6, 7, 8, 9, 10, 11, 12}) {
    for (const std::int64_t radix : {4, 6, 7}) {
      for (const double over : {1.0, 2.0, 3.0}) {
        DesignInput input = small_input(TopologyKind::fat_tree, hosts, radix);
        input.domain = 1;
        input.oversubscription = {over};
        expect_exact_bisection(input);
      }
    }
  }
  for (const TopologyKind kind :
       {TopologyKind::rail_only, TopologyKind::rail_optimized, TopologyKind::scale_up}) {
    DesignInput input = small_input(kind, 8, 8);
    input.domain = kind == TopologyKind::scale_up ? 8 : 2;
    expect_exact_bisection(input);
  }
}

TEST(Bisection, OfSmallGroupsIsTheLeastOfAllHalves) {
  // Of three dragonfly groups the least cut goes through one of them.
  for (const TopologyKind kind : {TopologyKind::dragonfly, TopologyKind::dragonfly_plus}) {
    for (const std::int64_t hosts : {6, 11, 12}) {
      for (const std::int64_t switches : {2, 3}) {
        for (const std::int64_t per_switch : {1, 2}) {
          if (hosts == 11 && per_switch == 1) continue;  // twelve switches
          DesignInput input = small_input(kind, hosts, 12);
          input.hosts_per_switch = per_switch;
          input.group_switches = switches;
          input.global_ports = 5;
          if (kind == TopologyKind::dragonfly_plus) input.group_spines = 2;
          expect_exact_bisection(input);
        }
      }
    }
  }
  for (const std::int64_t hosts : {7, 8, 9, 10, 11, 12}) {
    DesignInput input = small_input(TopologyKind::optical_rails, hosts, 512);
    input.domain = 1;
    expect_exact_bisection(input);
  }
}

TEST(Clos, FullFatTreesHaveTheTextbookCounts) {
  // Al-Fares et al. 2008: k^3/4 hosts, 5k^2/4 switches; Leiserson 1985 for n tiers: N(2n-1)/k, N(n-1) links.
  for (const std::int64_t k : {4, 8, 16}) {
    for (std::int64_t n = 1; n <= 3; ++n) {
      std::int64_t hosts = 2;
      for (std::int64_t t = 0; t < n; ++t) hosts *= k / 2;
      const NetworkDesign design = small_design(small_input(TopologyKind::fat_tree, hosts, k));
      const DesignCounts counts = count_graph(design);
      EXPECT_EQ(design.fabric->tiers(), n);
      EXPECT_EQ(counts.chips, hosts * (2 * n - 1) / k) << k << " ports, " << n << " tiers";
      EXPECT_EQ(counts.switch_links, hosts * (n - 1));
      EXPECT_EQ(counts.ports_idle(), 0);
      EXPECT_EQ(counts.largest_hosts, hosts);
    }
  }
}

RC_GTEST_PROP(Clos, CountsOfRandomTreesAreThoseOfTheirGraphs, ()) {
  const auto ports = *rc::gen::inRange<std::int64_t>(3, 40);
  const auto hosts = *rc::gen::inRange<std::int64_t>(1, 1500);
  DesignInput input = small_input(TopologyKind::fat_tree, hosts, ports);
  const auto boundaries = *rc::gen::inRange<std::size_t>(0, 3);
  for (std::size_t t = 0; t < boundaries; ++t)
    input.oversubscription.push_back(*rc::gen::element(1.0, 1.5, 2.0, 3.0));
  try {
    const NetworkDesign design = small_design(input);
    check_graph_counts(design);
    check_full_graph(design);
    // Every other tier is fully used: the parts of any two blocks meet at the top.
    RC_ASSERT(longest_from(design, 0) == count(design).diameter || hosts == 1);
  } catch (const InputError&) {
    RC_DISCARD("too large for the tiers, or too small");
  }
}

RC_GTEST_PROP(Clos, PathsOfRandomTreesAreThoseOfTheirGraphs, ()) {
  const auto ports = 2 * *rc::gen::inRange<std::int64_t>(2, 9);
  const auto hosts = *rc::gen::inRange<std::int64_t>(ports + 1, 400);
  const NetworkDesign design = small_design(small_input(TopologyKind::fat_tree, hosts, ports));
  const Graph graph = build_graph(design);
  const Routing routing(graph);
  RC_ASSERT(routing.count_paths(0, static_cast<std::uint32_t>(hosts - 1)) == count(design).paths);
}

RC_GTEST_PROP(Clos, BisectionIsTheFlowBetweenHalves, ()) {
  const auto half = *rc::gen::inRange<std::int64_t>(2, 6);
  const auto tiers = *rc::gen::inRange<std::int64_t>(2, 4);
  std::int64_t hosts = 2;
  for (std::int64_t t = 0; t < tiers; ++t) hosts *= half;
  RC_PRE(hosts <= 160);
  DesignInput input = small_input(TopologyKind::fat_tree, hosts, 2 * half);
  input.tiers = tiers;
  const NetworkDesign design = small_design(input);
  const FabricCounts counts = design.fabric->counts();
  RC_ASSERT(flow_between_halves(design) == counts.bisection_links);
}

TEST(Clos, OversubscriptionTakesFromTheBisection) {
  DesignInput input = small_input(TopologyKind::fat_tree, 96, 16);
  input.oversubscription = {3};
  const NetworkDesign design = small_design(input);
  const DesignCounts counts = count_graph(design);
  EXPECT_NEAR(counts.bisection_share, 1.0 / 3, 1e-9);
  EXPECT_EQ(flow_between_halves(design), design.fabric->counts().bisection_links);
}

TEST(Clos, AnyCountOfHostsIsCabledWithTheFewestSwitches) {
  // HotNets '24 section 6.1: 800K hosts in four tiers of 64 ports; N(2n-1)/k exactly, with whole switches.
  const NetworkDesign design = small_design(small_input(TopologyKind::fat_tree, 800000, 64));
  EXPECT_EQ(count(design).chips, 87500);
  EXPECT_EQ(count(design).switch_links, 2400000);
}

RC_GTEST_PROP(Rails, CountsOfRandomRailNetworksAreThoseOfTheirGraphs, ()) {
  const auto domains = *rc::gen::inRange<std::int64_t>(1, 40);
  DesignInput input = small_input(*rc::gen::element(TopologyKind::rail_only, TopologyKind::rail_optimized),
                                  domains * 8, 2 * *rc::gen::inRange<std::int64_t>(2, 20));
  input.planes = *rc::gen::element<std::int64_t>(1, 2, 4);
  if (input.topology == TopologyKind::rail_only) input.rails = *rc::gen::element<std::int64_t>(1, 2, 4, 8);
  const NetworkDesign design = small_design(input);
  check_graph_counts(design);
  check_full_graph(design);
}

TEST(Rails, DevicesOfARankShareARail) {
  DesignInput input = small_input(TopologyKind::rail_only, 64, 4);
  const NetworkDesign all = small_design(input);
  EXPECT_EQ(all.networks, 8);
  for (std::int64_t d = 0; d < 64; ++d) EXPECT_EQ(all.place_of(d).network, d % 8);
  input.rails = 2;
  const NetworkDesign two = small_design(input);
  EXPECT_EQ(two.networks, 2);
  EXPECT_EQ(two.fabric->endpoints(), 32);
}

TEST(Rails, SeveralRailsShareASwitchWhereTheyFit) {
  // Rail-only '23 Table 2: 32,768 GPUs, domains of 256, 256 ports: two rails of 128 on each of 128 switches.
  DesignInput input = small_input(TopologyKind::rail_only, 32768, 256);
  input.domain = 256;
  const NetworkDesign design = small_design(input);
  EXPECT_EQ(design.rails_per_network, 2);
  EXPECT_EQ(count_graph(design).chips, 128);
}

/// Of groups in which every switch has a host, with as many links and ports as they need.
void check_grouped(const DesignInput& input) {
  const std::int64_t groups = (*input.hosts + *input.hosts_per_switch * *input.group_switches - 1) /
                              (*input.hosts_per_switch * *input.group_switches);
  RC_PRE(*input.hosts >= groups * *input.group_switches);
  try {
    const NetworkDesign design = small_design(input);
    check_graph_counts(design);
    check_full_graph(design);
    check_farthest(design);
  } catch (const InputError&) {
    RC_DISCARD("more groups than a group has links, or too few ports");
  }
}

RC_GTEST_PROP(Dragonfly, CountsOfRandomOnesAreThoseOfTheirGraphs, ()) {
  DesignInput input = small_input(TopologyKind::dragonfly, *rc::gen::inRange<std::int64_t>(2, 120), 24);
  input.hosts_per_switch = *rc::gen::inRange<std::int64_t>(1, 8);
  input.group_switches = *rc::gen::inRange<std::int64_t>(1, 9);
  input.global_ports = *rc::gen::inRange<std::int64_t>(1, 9);
  check_grouped(input);
}

TEST(Dragonfly, TheBalancedOneIsThatOfItsPaper) {
  // Kim et al. 2008 Fig. 5: p = h = 2, a = 4 makes 9 groups of 8 hosts.
  DesignInput input = small_input(TopologyKind::dragonfly, 72, 7);
  const NetworkDesign design = small_design(input);
  const DesignCounts counts = count_graph(design);
  EXPECT_EQ(counts.chips, 36);
  EXPECT_EQ(counts.ports_idle(), 0);
  EXPECT_EQ(counts.largest_hosts, 72);
  EXPECT_EQ(diameter_of(design), 5);
  EXPECT_EQ(counts.diameter, 5);
}

TEST(DragonflyPlus, TheLargestUsesEveryPort) {
  // Half of the ports of each tier down: (r/2)^2 hosts a group, (r/2)^2 + 1 groups of r switches.
  for (const std::int64_t half : {2, 3, 4}) {
    const std::int64_t square = half * half;
    const NetworkDesign design =
        small_design(small_input(TopologyKind::dragonfly_plus, square * (square + 1), 2 * half));
    const DesignCounts counts = count(design);
    EXPECT_EQ(counts.largest_hosts, square * (square + 1)) << half;
    EXPECT_EQ(counts.chips, (square + 1) * 2 * half) << half;
    EXPECT_EQ(counts.ports_idle(), 0) << half;
  }
}

RC_GTEST_PROP(DragonflyPlus, CountsOfRandomOnesAreThoseOfTheirGraphs, ()) {
  DesignInput input = small_input(TopologyKind::dragonfly_plus, *rc::gen::inRange<std::int64_t>(2, 120), 16);
  input.hosts_per_switch = *rc::gen::inRange<std::int64_t>(1, 9);
  input.group_switches = *rc::gen::inRange<std::int64_t>(1, 9);
  input.group_spines = *rc::gen::inRange<std::int64_t>(1, 8);
  input.global_ports = *rc::gen::inRange<std::int64_t>(1, 8);
  check_grouped(input);
}

RC_GTEST_PROP(HyperX, CountsPathsAndDiameterOfRandomOnesAreThoseOfTheirGraphs, ()) {
  DesignInput input = small_input(TopologyKind::hyperx, 0, 32);
  input.dimensions = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                                                                    rc::gen::inRange<std::int64_t>(1, 6));
  input.hosts_per_switch = *rc::gen::inRange<std::int64_t>(1, 4);
  std::int64_t switches = 1;
  for (const std::int64_t side : input.dimensions) switches *= side;
  input.hosts = switches * *input.hosts_per_switch;
  input.planes = *rc::gen::element<std::int64_t>(1, 2);
  const NetworkDesign design = small_design(input);
  check_graph_counts(design);
  check_full_graph(design);
  RC_PRE(*input.hosts > 1);
  if (switches > 1) RC_ASSERT(longest_from(design, 0) == count(design).diameter);
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  const double paths = Routing(graph).count_paths(0, static_cast<std::uint32_t>(*input.hosts - 1));
  RC_ASSERT(paths == design.fabric->counts().paths);
}

TEST(HyperX, BisectionIsTheFlowBetweenHalves) {
  DesignInput input = small_input(TopologyKind::hyperx, 64, 16);
  input.dimensions = {4, 4};
  input.hosts_per_switch = 4;
  const NetworkDesign design = small_design(input);
  EXPECT_EQ(flow_between_halves(design), design.fabric->counts().bisection_links);  // 16 of 32
  EXPECT_EQ(design.fabric->counts().bisection_links, 16);
}

RC_GTEST_PROP(Torus, CountsPathsDiameterAndBisectionOfRandomOnesAreThoseOfTheirGraphs, ()) {
  DesignInput input = small_input(TopologyKind::torus, 0, 2);
  input.radix.reset();
  input.dimensions = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                                                                    rc::gen::inRange<std::int64_t>(1, 7));
  std::int64_t hosts = 1;
  for (const std::int64_t side : input.dimensions) hosts *= side;
  RC_PRE(hosts > 1);
  input.hosts = hosts;
  const NetworkDesign design = small_design(input);
  check_full_graph(design);
  RC_ASSERT(longest_from(design, 0) == count(design).diameter);
  const Graph graph = build_graph(design);
  std::int64_t far = 0;
  for (const std::int64_t side : input.dimensions) far = far * side + side / 2;
  const double paths = Routing(graph).count_paths(0, static_cast<std::uint32_t>(far));
  RC_ASSERT(paths == count(design).paths);
}

RC_GTEST_PROP(Optical, DiameterAndPathsOfRandomRailsAreThoseOfTheirGraphs, ()) {
  DesignInput input =
      small_input(TopologyKind::optical_rails, 8 * *rc::gen::inRange<std::int64_t>(3, 40), 512);
  input.circuits = 2 * *rc::gen::inRange<std::int64_t>(1, 3);
  RC_PRE(*input.hosts / 8 > input.circuits);
  check_farthest(small_design(input));
}

TEST(Optical, ARingIsCutTwice) {
  DesignInput input = small_input(TopologyKind::optical_rails, 12, 512);
  input.domain = 1;
  EXPECT_EQ(small_design(input).fabric->counts().bisection_links, 2);
}

TEST(Dragonfly, TheCutThroughItsGroupsCounts) {
  // Two groups of eight switches with eight hosts each, eight links between the groups from each switch.
  DesignInput input = small_input(TopologyKind::dragonfly, 128, 23);
  input.hosts_per_switch = input.group_switches = input.global_ports = 8;
  EXPECT_EQ(small_design(input).fabric->counts().bisection_links, 32);
}

TEST(Blast, NoPartTakesMoreHostsThanThereAre) {
  const auto most = [](const DesignInput& input, const std::string& what) {
    const NetworkDesign design = small_design(input);
    double hosts = 0;
    for (const BlastRadius& blast : count(design).blast) {
      EXPECT_LE(blast.hosts, static_cast<double>(design.hosts)) << blast.what;
      if (blast.what == what) hosts = blast.hosts;
    }
    return hosts;
  };
  // One group of five leaves, the last with a host less than the others.
  EXPECT_EQ(most(small_input(TopologyKind::dragonfly_plus, 24, 16), "one spine"), 24);
  // Two groups of four switches for 18 hosts: two switches of three hosts and two of two in the first.
  DesignInput groups = small_input(TopologyKind::dragonfly, 18, 16);
  groups.hosts_per_switch = 3;
  groups.group_switches = 4;
  groups.global_ports = 1;
  EXPECT_EQ(most(groups, "one link between groups"), 10);
  // Of 64 endpoints under one spine four are gateways.
  DesignInput gateways = small_input(TopologyKind::fat_tree, 60, 16);
  gateways.gateways = 4;
  EXPECT_EQ(most(gateways, "one spine"), 60);
}

TEST(Clos, ASpineTakesTheLinksThatAnUnevenLeafHasThere) {
  // 22 hosts, 8 ports: a leaf's 4 links go to 3 spines, two of them to one.
  const FabricCounts counts = small_design(small_input(TopologyKind::fat_tree, 22, 8)).fabric->counts();
  const auto spine = std::find_if(counts.blast.begin(), counts.blast.end(),
                                  [](const BlastRadius& b) { return b.what == "one spine"; });
  ASSERT_NE(spine, counts.blast.end());
  EXPECT_EQ(spine->share, 0.5);
  EXPECT_EQ(spine->hosts, 22);
}

TEST(Rails, OneThatSharesItsLeavesLosesMoreOfADomain) {
  // Eight rails of 16 hosts in one network of 64 ports: a leaf of 32 takes two devices of each domain.
  DesignInput input = small_input(TopologyKind::rail_only, 128, 64);
  input.rails_per_switch = 8;
  EXPECT_NEAR(count(small_design(input)).domain_kept, 0.75, 1e-12);
}

TEST(ScaleUp, AnNvl72RackIsEighteenPlanes) {
  const DesignCounts counts = count_graph(small_design(nvl72_input()));
  EXPECT_EQ(counts.chips, 18);
  EXPECT_EQ(counts.host_links, 72 * 18);
  EXPECT_EQ(counts.ports_idle(), 0);
  EXPECT_EQ(counts.paths, 18);
}

TEST(Counts, TenMillionHostsAreCountedAtOnce) {
  DesignInput input = small_input(TopologyKind::rail_only, 10'000'000, 256);
  input.planes = 4;
  const DesignCounts counts = count(small_design(input));
  EXPECT_EQ(counts.host_links, 40'000'000);
  EXPECT_GE(counts.largest_hosts, 10'000'000);
}

TEST(Gateways, ArePortsOfTheNetworkBesideTheHosts) {
  const Scenario scenario = small_scenario("[network]\nwide_area_rate = \"100 Gbps\"\n", "datacenters = 2\n");
  DesignInput input = small_input(TopologyKind::fat_tree, 64, 16);
  input.gateways.reset();
  const NetworkDesign design = resolve_design(scenario, input);
  EXPECT_EQ(design.gateways, 16);  // 64 hosts x 100 Gbps over ports of 400 Gbps
  EXPECT_EQ(design.fabric->endpoints(), 80);
}

TEST(Gateways, JoinEveryPairOfDatacenters) {
  for (const std::int64_t datacenters : {2, 3}) {
    const Scenario scenario = small_scenario("[network]\nwide_area_rate = \"100 Gbps\"\n",
                                             "datacenters = " + std::to_string(datacenters) + "\n");
    DesignInput input = small_input(TopologyKind::rail_only, 64, 16);
    input.gateways.reset();
    const NetworkDesign design = resolve_design(scenario, input);
    ASSERT_EQ(design.gateways * design.networks, 16);
    const Graph graph = build_graph(design, {.all_datacenters = true});
    EXPECT_EQ(graph.link_runs.back().name, "wide area");
    const auto wide = graph.link_runs.back().end - graph.link_runs.back().begin;
    EXPECT_EQ(wide, 16 * datacenters / 2);
    const Routing routing(graph);
    // The same rank of another datacenter: up to a gateway, across, and down.
    const auto path = routing.ecmp_path(0, 64 + 16, 1);  // behind the hosts and gateways of the first
    ASSERT_TRUE(path.has_value());
    const auto across = std::count_if(path->begin(), path->end(), [&](std::uint32_t link) {
      return graph.run_of_link(link).name == "wide area";
    });
    EXPECT_EQ(across, 1);
  }
}

}  // namespace
}  // namespace trainyard
