// Where cables are laid: as many of each kind as the graph has links, between the hosts of the switches that
// they join.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "designs.h"
#include "scenario/choices/designs.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/topology_kind.h"

namespace trainyard {
namespace {

constexpr std::int64_t kPerRack = 8;

DesignInput with_dimensions(TopologyKind kind, std::int64_t hosts, std::vector<std::int64_t> dimensions) {
  DesignInput input = small_input(kind, hosts, 32);
  input.dimensions = std::move(dimensions);
  if (kind == TopologyKind::torus) input.radix.reset();
  if (kind == TopologyKind::hyperx) input.hosts_per_switch = 4;
  return input;
}

DesignInput dragonfly(std::int64_t hosts) {
  DesignInput input = small_input(TopologyKind::dragonfly, hosts, 16);
  input.hosts_per_switch = 2;
  input.group_switches = 4;
  return input;
}

std::vector<DesignInput> designs() {
  return {small_input(TopologyKind::fat_tree, 64, 8),
          small_input(TopologyKind::fat_tree, 200, 16),
          small_input(TopologyKind::rail_optimized, 128, 16),
          small_input(TopologyKind::rail_only, 256, 16),
          with_dimensions(TopologyKind::hyperx, 48, {4, 3}),
          with_dimensions(TopologyKind::hyperx, 96, {3, 2, 4}),
          with_dimensions(TopologyKind::torus, 60, {5, 4, 3}),
          with_dimensions(TopologyKind::torus, 16, {8, 2}),
          dragonfly(64),
          dragonfly(72),
          small_input(TopologyKind::dragonfly_plus, 64, 16),
          small_input(TopologyKind::optical_rails, 128, 320)};
}

std::string name_of(const DesignInput& input) {
  return std::string(choice_name(input.topology)) + " of " + std::to_string(*input.hosts);
}

std::vector<CableRun> cables_of(const NetworkDesign& design) {
  std::vector<CableRun> out;
  design.fabric->visit_cables(kPerRack, 0, [&](const CableRun& run) { out.push_back(run); });
  return out;
}

TEST(Cables, AreAsManyOfEachKindAsThereAreLinks) {
  for (const DesignInput& input : designs()) {
    const NetworkDesign design = small_design(input);
    const FabricCounts counts = design.fabric->counts();
    std::vector<double> links(counts.links.size());
    for (const CableRun& run : cables_of(design)) links.at(run.link_class) += run.links;
    for (std::size_t i = 0; i < links.size(); ++i)
      EXPECT_DOUBLE_EQ(links[i], static_cast<double>(counts.links[i].links))
          << name_of(input) << ", " << counts.links[i].name;
  }
}

TEST(Cables, StandAmidHostsThatThereAre) {
  for (const DesignInput& input : designs()) {
    const NetworkDesign design = small_design(input);
    for (const CableRun& run : cables_of(design)) {
      for (const EndpointRange& end : {run.a, run.b}) {
        EXPECT_GE(end.begin, 0) << name_of(input);
        EXPECT_LT(end.begin, end.end) << name_of(input) << ", class " << run.link_class;
        EXPECT_LE(end.end, design.fabric->endpoints()) << name_of(input);
      }
    }
  }
}

/// Cables of hosts leave each rack once, and each host has as many as links.
TEST(Cables, OfHostsBeginInTheirRacks) {
  for (const DesignInput& input : designs()) {
    const NetworkDesign design = small_design(input);
    const FabricCounts counts = design.fabric->counts();
    if (counts.tiers.empty()) continue;  // hosts are joined to hosts
    std::vector<double> of_host(static_cast<std::size_t>(design.fabric->endpoints()));
    for (const CableRun& run : cables_of(design)) {
      if (!counts.links[run.link_class].of_hosts) continue;
      EXPECT_EQ(run.a.begin / kPerRack, (run.a.end - 1) / kPerRack) << name_of(input);
      EXPECT_LE(run.b.begin, run.a.begin) << name_of(input);
      EXPECT_GE(run.b.end, run.a.end) << name_of(input);
      const double each = run.links / static_cast<double>(run.a.end - run.a.begin);
      for (std::int64_t e = run.a.begin; e < run.a.end; ++e) of_host[static_cast<std::size_t>(e)] += each;
    }
    for (const double links : of_host)
      EXPECT_DOUBLE_EQ(links, static_cast<double>(design.fabric->host_links())) << name_of(input);
  }
}

using Ends = std::pair<std::set<std::int64_t>, std::set<std::int64_t>>;

Ends ordered(std::set<std::int64_t> a, std::set<std::int64_t> b) {
  return a < b ? Ends(std::move(a), std::move(b)) : Ends(std::move(b), std::move(a));
}

std::set<std::int64_t> members(const EndpointRange& range) {
  std::set<std::int64_t> out;
  for (std::int64_t e = range.begin; e < range.end; ++e) out.insert(e);
  return out;
}

/// Where every switch has hosts, a cable between two of them stands between the hosts of both.
TEST(Cables, BetweenSwitchesJoinTheHostsOfBoth) {
  for (const DesignInput& input : {with_dimensions(TopologyKind::hyperx, 48, {4, 3}),
                                   with_dimensions(TopologyKind::hyperx, 96, {3, 2, 4}), dragonfly(64)}) {
    const NetworkDesign design = small_design(input);
    const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
    const auto hosts = static_cast<std::uint32_t>(design.fabric->endpoints());
    std::map<std::uint32_t, std::set<std::int64_t>> of_switch;
    for (const Link& link : graph.links)
      if (link.a < hosts) of_switch[link.b].insert(link.a);
    const bool groups = input.topology == TopologyKind::dragonfly;  // stand as one for what leaves them
    std::multiset<Ends> laid;
    std::multiset<Ends> linked;
    for (const CableRun& run : cables_of(design)) {
      if (run.link_class == 0 || (groups && run.link_class > 1)) continue;
      for (int i = 0; i < static_cast<int>(run.links); ++i)
        laid.insert(ordered(members(run.a), members(run.b)));
    }
    for (std::size_t i = 1; i < graph.link_runs.size(); ++i) {
      for (std::uint32_t l = graph.link_runs[i].begin; l < graph.link_runs[i].end; ++l) {
        const Link& link = graph.links[l];
        if (groups && i > 1) continue;
        linked.insert(ordered(of_switch[link.a], of_switch[link.b]));
      }
    }
    EXPECT_FALSE(linked.empty());
    EXPECT_EQ(laid, linked) << name_of(input);
  }
}

}  // namespace
}  // namespace trainyard
