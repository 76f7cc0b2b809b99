// Packets on networks that are no folded Clos of three tiers at most: against the slow twin, closed forms,
// and what the literature says of minimal, Valiant and UGAL routing.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/ndp.h"
#include "network/wiring/wired_back.h"
#include "topology/routing.h"
#include "trainyard/simulation.h"
#include "trainyard/topology_kind.h"

namespace trainyard::packet {
namespace {

std::vector<DesignInput> shapes() {
  return {shaped(TopologyKind::dragonfly, 72, 12), shaped(TopologyKind::dragonfly_plus, 64, 12),
          shaped(TopologyKind::hyperx, 60, 24, {4, 5}), shaped(TopologyKind::torus, 60, 8, {3, 4, 5}),
          shaped(TopologyKind::fat_tree, 30, 4)};
}

Case case_of(const DesignInput& shape) {
  Case c;
  c.shape = shape;
  c.hosts = *shape.hosts;
  return c;
}

RC_GTEST_PROP(GraphPackets, GiveTheResultsOfTheReferenceToThePicosecond, ()) {
  Case c = random_case();
  c.shape = *rc::gen::elementOf(shapes());
  c.shape->planes = c.planes;
  c.hosts = *c.shape->hosts;
  c.routing = *rc::gen::element(PacketRouting::minimal, PacketRouting::valiant, PacketRouting::ugal);
  const auto hosts = static_cast<std::uint32_t>(c.hosts);
  for (Flow& flow : c.flows) flow.from = *rc::gen::inRange<std::uint32_t>(0, hosts);
  for (const Lineup& lineup : c.lineups) {
    for (const std::uint32_t flow : lineup) c.flows[flow].from = c.flows[lineup.front()].from;
  }
  for (Flow& flow : c.flows) flow.to = (flow.from + *rc::gen::inRange<std::uint32_t>(1, 30)) % hosts;
  if (*rc::gen::inRange(0, 3) == 0) add_tiers(c);
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  const Outcome windows = run_windows(c, kNdp);
  RC_ASSERT(windows.counters.finished == c.flows.size());
  expect_same(windows, run_reference(c, kNdp));
  c.threads = 3;
  expect_same(windows, run_windows(c, kNdp));
}

TEST(GraphPackets, ALoneFlowTakesItsTimeOnEveryLink) {
  for (const DesignInput& shape : shapes()) {
    if (shape.topology == TopologyKind::torus) continue;  // below
    const Graph graph = build_graph(design_of(shape), {.planes = 1, .networks = 1});
    for (const std::uint32_t to : {1U, 7U, 29U}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(shape.topology) << " to " << to);
      Case c = case_of(shape);
      c.flows.push_back({0, to, 30ULL * 4096, 0});
      const Outcome out = run_windows(c, kNdp);
      const std::uint64_t links = Routing(graph).distances(to)[0];
      const Picoseconds packet = c.links.time(4096);
      EXPECT_EQ(out.flows[0].received, 30 * packet + (links - 1) * packet + links * c.links.delay);
      EXPECT_EQ(out.flows[0].finished, out.flows[0].received + links * (c.links.time(64) + c.links.delay));
    }
  }
}

TEST(GraphPackets, HostsOfATorusHaveASwitchOfTheirOwn) {
  Case c = case_of(shaped(TopologyKind::torus, 60, 8, {3, 4, 5}));
  c.links.picoseconds_per_byte = 60;
  const Layout layout = c.layout();
  EXPECT_EQ(layout.links[0].picoseconds_per_byte, 10U);  // six links
  for (const std::uint32_t to : {1U, 5U, 34U}) {
    const std::uint32_t x = to / 20;
    const std::uint32_t y = to / 5 % 4;
    const std::uint32_t z = to % 5;
    const std::uint32_t hops = std::min(x, 3 - x) + std::min(y, 4 - y) + std::min(z, 5 - z);
    EXPECT_EQ(layout.reach(0, to).links, hops);
    c.flows = {{0, to, 4096, 0}};
    const Outcome out = run_windows(c, kNdp);
    EXPECT_EQ(out.flows[0].received, hops * (c.links.time(4096) + c.links.delay) +
                                         2 * (layout.links[0].time(4096) + c.links.delay / 16));
  }
}

TEST(GraphPackets, EveryPortIsWiredBackToItself) {
  for (DesignInput shape : shapes()) {
    shape.planes = 2;
    wiring::expect_wired_back(case_of(shape).layout());
  }
}

/// Nodes on the way of a packet.
std::vector<std::uint32_t> way(const Layout& layout, std::uint32_t from, wiring::Way packet) {
  std::vector<std::uint32_t> out;
  std::uint32_t port = layout.port_of_host(from, 0);
  while (true) {
    const std::uint32_t n = layout.wires[port].node;
    out.push_back(n);
    if (layout.nodes[n].hosts) return out;
    port = layout.nodes[n].first_port + wiring::take_port(layout, layout.nodes[n], packet);
  }
}

TEST(GraphPackets, ARoundOfNumbersWalksOverAllShortestPaths) {
  for (const DesignInput& shape : shapes()) {
    const NetworkDesign design = design_of(shape);
    const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
    const Layout layout = case_of(shape).layout();
    for (const std::uint32_t to : {1U, 13U, 29U}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(shape.topology) << " to " << to);
      std::set<std::vector<std::uint32_t>> ways;
      for (std::uint32_t path = 0; path < layout.routes.paths(); ++path) {
        wiring::Way packet;
        packet.to = layout.address_of_host[to];
        packet.up_leaf = layout.routes.number(path, leaf_of(layout.address_of_host[0]), leaf_of(packet.to));
        ways.insert(way(layout, 0, packet));
        ASSERT_EQ(ways.begin()->size(), layout.links_between(0, to));
      }
      EXPECT_EQ(static_cast<double>(ways.size()), Routing(graph).count_paths(0, to));
    }
  }
}

TEST(GraphPackets, ADetourPassesItsSwitch) {
  const Layout layout = case_of(shaped(TopologyKind::dragonfly, 72, 12)).layout();
  for (std::uint32_t leaf = 0; leaf < layout.leaves; ++leaf) {
    wiring::Way packet;
    packet.to = layout.address_of_host[71];
    packet.up_aggregation = wiring::Routes::detour(leaf);
    const std::vector<std::uint32_t> nodes = way(layout, 0, packet);
    const std::uint32_t at = layout.leaves + layout.routes.switch_of_leaf(leaf);
    EXPECT_NE(std::find(nodes.begin(), nodes.end(), at), nodes.end()) << leaf;
  }
}

/// Every host of a dragonfly's group sends to the next group: one link between them carries all (Kim et al.
/// 2008).
Case adversary(PacketRouting routing) {
  Case c = case_of(shaped(TopologyKind::dragonfly, 72, 7));
  const Layout layout = c.layout();
  c.routing = routing;
  const std::uint32_t group = 8;
  for (std::uint32_t h = 0; h < layout.hosts(); ++h)
    c.flows.push_back({h, (h + group) % layout.hosts(), 1'000'000, 0});
  return c;
}

TEST(GraphPackets, DetoursSpreadWhatShortestWaysCrowd) {
  const Layout layout = adversary(PacketRouting::minimal).layout();
  // Groups of 4 switches with 2 hosts each, all pairs of groups joined by one link.
  ASSERT_EQ(layout.routes.targets(), 36U);
  ASSERT_EQ(layout.hosts(), 72U);
  const Picoseconds alone = 1'000'000 * LinkRules{}.picoseconds_per_byte;
  const Picoseconds minimal = last_received(run_windows(adversary(PacketRouting::minimal), kNdp));
  const Picoseconds valiant = last_received(run_windows(adversary(PacketRouting::valiant), kNdp));
  const Picoseconds ugal = last_received(run_windows(adversary(PacketRouting::ugal), kNdp));
  EXPECT_GT(minimal, 6 * alone);  // eight hosts on a link, but for ways over a third group that are as short
  EXPECT_LT(valiant, minimal / 2);
  EXPECT_LT(ugal, minimal / 2);
}

TEST(GraphPackets, QueuesKeepPacketsOnShortestWaysWhereThoseAreFree) {
  const auto hops = [](PacketRouting routing) {
    Case c = case_of(shaped(TopologyKind::dragonfly, 72, 7));
    c.routing = routing;
    for (std::uint32_t h = 0; h < 72; h += 4) c.flows.push_back({h, h ^ 2U, 400'000, 0});
    return run_windows(c, kNdp).counters.hops;
  };
  const std::uint64_t minimal = hops(PacketRouting::minimal);
  EXPECT_LT(hops(PacketRouting::ugal), minimal * 125 / 100);
  EXPECT_GT(hops(PacketRouting::valiant), minimal * 160 / 100);
}

TEST(GraphPackets, FailuresThatAreKnownAreGoneAround) {
  for (const DesignInput& shape : shapes()) {
    // All links up of a leaf are on its shortest ways.
    if (shape.topology == TopologyKind::fat_tree || shape.topology == TopologyKind::dragonfly_plus) continue;
    SCOPED_TRACE(static_cast<int>(shape.topology));
    Case c = case_of(shape);
    const Layout layout = c.layout();
    const std::uint32_t to = layout.first_host[1];  // of the switch next door
    c.flows.push_back({0, to, 400'000, 0});
    c.faults_known = true;
    const Node& first = layout.nodes[layout.wires[layout.port_of_host(0, 0)].node];
    for (const std::uint16_t port : layout.routes.ports(0, 1)) {
      c.faults.push_back({0, first.first_port + port, true});
      const Wire& wire = layout.wires[first.first_port + port];
      c.faults.push_back({0, layout.nodes[wire.node].first_port + wire.in_port, true});
    }
    const Outcome out = run_windows(c, kNdp);
    EXPECT_EQ(out.counters.finished, 1U);
    EXPECT_EQ(out.counters.corrupted, 0U);
  }
}

}  // namespace
}  // namespace trainyard::packet
