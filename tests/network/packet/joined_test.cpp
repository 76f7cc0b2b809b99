// Packets through HB domains and networks in one simulation: against the slow twin, closed forms, and one
// network alone.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/ndp.h"
#include "network/wiring/wired_back.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"
#include "trainyard/topology_kind.h"

namespace trainyard::packet {
namespace {

constexpr Picoseconds kDelayOfALink = 1'000'000;
constexpr Picoseconds kDomainDelay = 400'000;

/// HB domains of four, a rail for each rank, by switches of so many ports.
DesignInput rails(std::int64_t hosts, std::int64_t radix) {
  DesignInput input = shaped(TopologyKind::rail_only, hosts, radix);
  input.domain = 4;
  input.rails = 4;
  return input;
}

wiring::JoinedRules rules() {
  return {{}, BitRate(3.2e12), kDomainDelay, false, {}};  // 2.5 ps a byte
}

Case joined_case(std::int64_t hosts = 24, std::int64_t radix = 6) {
  Case c;
  c.shape = rails(hosts, radix);
  c.hosts = hosts;
  c.joined = rules();
  c.links.delay = kDelayOfALink;
  c.links.picoseconds_per_byte = 20;
  return c;
}

Flow alone(const Case& c, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  Case one = c;
  one.flows = {{from, to, bytes, 0}};
  return run_windows(one, kNdp).flows.front();
}

RC_GTEST_PROP(JoinedPackets, GiveTheResultsOfTheReferenceToThePicosecond, ()) {
  Case c = random_case();
  c.lineups.clear();
  std::erase_if(c.dependencies, [&](const Dependency& d) { return d.after >= c.flows.size(); });
  c.shape = *rc::gen::elementOf(std::vector<DesignInput>{rails(24, 6), rails(24, 4), rails(22, 24),
                                                         shaped(TopologyKind::fat_tree, 24, 4)});
  c.shape->domain = 4;
  c.shape->planes = c.planes;
  c.hosts = *c.shape->hosts;
  c.joined = rules();
  c.joined->scale_up_rate = BitRate(*rc::gen::element(1e11, 8e11, 3.6e12));
  c.joined->domain_delay = *rc::gen::inRange<Picoseconds>(50'000, 3'000'000);
  const auto hosts = static_cast<std::uint32_t>(c.hosts);
  for (Flow& flow : c.flows) {
    flow.from %= hosts;
    flow.to = (flow.from + *rc::gen::inRange<std::uint32_t>(1, hosts)) % hosts;
  }
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  const Outcome windows = run_windows(c, kNdp);
  RC_ASSERT(windows.counters.finished == c.flows.size());
  expect_same(windows, run_reference(c, kNdp));
  c.threads = 3;
  expect_same(windows, run_windows(c, kNdp));
}

TEST(JoinedPackets, ARankTakesTheTimeOfItsRailAlone) {
  const Case c = joined_case();
  Case rail = c;
  rail.joined.reset();
  for (const std::uint32_t domain : {1U, 3U, 5U}) {
    const Flow whole = alone(c, 2, 4 * domain + 2, 300'000);
    const Flow one = alone(rail, 0, domain, 300'000);
    EXPECT_EQ(whole.received, one.received);
    EXPECT_EQ(whole.finished, one.finished);
  }
}

TEST(JoinedPackets, AnHbDomainHasItsOwnRateAndDelay) {
  Case c = joined_case();
  c.window_packets = 200;
  const std::uint64_t packets = 100;
  const Flow flow = alone(c, 4, 7, packets * 4096);
  const Picoseconds packet = 4096 * 5 / 2;
  EXPECT_EQ(flow.received, (packets + 1) * packet + 2 * kDomainDelay);
}

TEST(JoinedPackets, AnotherRankIsReachedThroughADeviceThatForwards) {
  const Case c = joined_case();
  const Layout layout = c.layout();
  const std::uint32_t from = layout.sending_host(1, 6);  // rank 1 of domain 0 to rank 2 of domain 1
  const std::uint32_t to = layout.receiving_host(1, 6);
  EXPECT_EQ(from, 2U * 1 + 1) << "by its port to the HB domain";
  EXPECT_EQ(to, 2U * 6) << "by its NICs";
  std::vector<std::uint32_t> devices;
  layout.walk(from, to, [&](std::uint32_t at, std::uint32_t) {
    if (at < layout.leaves) devices.push_back(at);
  });
  EXPECT_EQ(devices, (std::vector<std::uint32_t>{1, 2})) << "rank 2 of its own domain forwards";

  const Picoseconds fast = 4096 * 5 / 2;
  const Picoseconds slow = 4096 * 20;
  const Picoseconds inside = kDomainDelay / 16;
  const Flow flow = alone(c, 1, 6, 50 * 4096);
  EXPECT_EQ(flow.received, 2 * fast + 50 * slow + slow + 2 * kDomainDelay + 2 * kDelayOfALink - 2 * inside);
}

TEST(JoinedPackets, NobodyForwardsWhereANetworkJoinsAllRanks) {
  Case c = joined_case();
  c.shape = shaped(TopologyKind::fat_tree, 24, 4);
  c.shape->domain = 4;
  const Layout layout = c.layout();
  for (std::uint32_t to = 1; to < 24; ++to) {
    const bool inside = to < 4;
    std::uint32_t devices = 0;
    layout.walk(layout.sending_host(0, to), layout.receiving_host(0, to),
                [&](std::uint32_t at, std::uint32_t) {
                  if (at < layout.leaves) ++devices;
                });
    EXPECT_EQ(devices, 1U) << to;
    EXPECT_EQ(layout.sending_host(0, to), inside ? 1U : 0U) << to;
  }
}

TEST(JoinedPackets, AllToAllOverRailsIsBoundByTheNics) {
  Case c = joined_case();
  for (std::uint32_t from = 0; from < 24; ++from) {
    for (std::uint32_t to = 0; to < 24; ++to) {
      if (from != to) c.flows.push_back({from, to, 400'000, 0});
    }
  }
  const Outcome out = run_windows(c, kNdp);
  Picoseconds last = 0;
  for (const Flow& flow : out.flows) last = std::max(last, flow.received);
  const double bound = 20.0 * 400'000 * 20;  // 20 devices elsewhere, 20 ps a byte
  EXPECT_GT(static_cast<double>(last), bound);
  EXPECT_LT(static_cast<double>(last), 1.15 * bound);
}

TEST(JoinedPackets, ADeviceWhoseNicFailsSendsThroughItsHbDomain) {
  Case c = joined_case();
  c.flows = {{2, 10, 400'000, 0}};
  const Layout layout = c.layout();
  std::uint32_t nic = 0;
  layout.walk(4, 20, [&](std::uint32_t at, std::uint32_t port) {
    if (at == 2) nic = port;
  });
  c.faults = {{0, nic, true},
              {0, layout.nodes[layout.wires[nic].node].first_port + layout.wires[nic].in_port, true}};
  c.faults_known = true;
  const Outcome out = run_windows(c, kNdp);
  EXPECT_EQ(out.counters.finished, 1U);
  EXPECT_EQ(out.counters.timeouts, 0U);
}

TEST(JoinedPackets, ADomainThatFailsIsBypassedThroughAnother) {
  Case c = joined_case();
  for (std::uint32_t from = 0; from < 8; ++from) {
    for (std::uint32_t to = 0; to < 8; ++to) {
      if (from != to) c.flows.push_back({from, to, 20'000, 0});
    }
  }
  const Layout layout = c.layout();
  const std::uint32_t port = layout.nodes[layout.leaves].first_port + layout.routes.first_port(0, 1);
  const Node& domain = layout.nodes[layout.wires[port].node];
  for (std::uint32_t p = domain.first_port; p < domain.first_port + domain.ports; ++p) {
    const wiring::Wire& back = layout.wires[p];
    c.faults.push_back({0, p, true});
    c.faults.push_back({0, layout.nodes[back.node].first_port + back.in_port, true});
  }
  c.faults_known = true;
  const Outcome out = run_windows(c, kNdp);
  EXPECT_EQ(out.counters.finished, c.flows.size());
  EXPECT_EQ(out.counters.timeouts, 0U);
}

TEST(JoinedPackets, EveryPortIsWiredBackToItself) {
  Case c = joined_case();
  c.shape->planes = 2;
  wiring::expect_wired_back(c.layout());
}

Scenario cluster(const std::string& topology = "fat_tree", const std::vector<std::string>& settings = {}) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "test.toml",
      "[facility]\ndevices = 72\ndatacenters = 3\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
      "[network]\nwide_area_rate = \"100 Gbps\"\n[wide_area]\nsites = [[50.1, 8.7], [48.9, 2.3], [40.7, "
      "-74]]\n"
      "[[design]]\nname = \"d\"\ntopology = \"" +
          topology +
          "\"\ndomain = 8\nradix = 64\nrate = \"400 Gbps\"\n"
          "prices = \"railonly23\"\n[simulation]\nextent = \"cluster\"\nbytes = \"100 kB\"\ntransport = "
          "\"dctcp\"\n"
          "timeout = \"500 ms\"\n"}));
  for (const std::string& setting : settings) text.set(setting);
  return text.resolve();
}

/// Of hosts' links alone: to another rank by a fast port, from there by the receiver's NIC.
TEST(JoinedPackets, AnIdealForwardedFlowTakesItsLeast) {
  const std::vector<std::string> settings = {"facility.datacenters=1", "simulation.transport=ideal",
                                             "simulation.bytes=16 MB"};
  SimulationRun run;
  run.files.flows = std::make_shared<const SourceText>(
      SourceText{"flows.csv", "from,to,bytes,start_s\n1,13,16000000,0\n0,16,16000000,0\n"});
  const SimulationResult out = simulate(cluster("rail_only", settings), run);
  for (const double slowdown : out.slowdowns) EXPECT_NEAR(slowdown, 1, 1e-6);
}

/// Far packets wait in slots from which they go on.
TEST(JoinedPackets, DatacentersAreAsFarApartAsTheirPlaces) {
  SimulationRun run;
  run.files.flows = std::make_shared<const SourceText>(
      SourceText{"flows.csv", "from,to,bytes,start_s\n0,24,4096,0\n0,48,4096,0\n24,48,4096,0\n0,9,4096,0\n"});
  const SimulationResult out = simulate(cluster(), run);
  ASSERT_EQ(out.flows.size(), 4U);
  EXPECT_EQ(out.hosts, 72);
  const auto took = [&](std::size_t f) { return seconds(out.flows[f].received).si(); };
  // Frankfurt, Paris and New York over fibre 1.3 times as long as the great circle.
  EXPECT_NEAR(took(0), 478.5e3 * 1.3 * 1.468 / 299792458, 1e-4);
  EXPECT_NEAR(took(1), 6.2e6 * 1.3 * 1.468 / 299792458, 1e-3);
  EXPECT_NEAR(took(1) - took(2), 0.37e6 * 1.3 * 1.468 / 299792458, 1e-3);
  EXPECT_LT(took(3), 1e-5);
  run.engine = SimulationEngine::flow;
  const SimulationResult flows = simulate(cluster(), run);
  for (std::size_t f = 0; f < 4; ++f)
    EXPECT_NEAR(seconds(flows.flows[f].received).si(), took(f), 2.5e-7)
        << f;  // two first packets at a time, or one by one
}

TEST(JoinedPackets, FarPacketsArriveWhenTheReferenceSaysSo) {
  Case c = joined_case();
  const Scenario s = cluster();
  c.design = designs_of(s, "d").front();
  c.joined->all_datacenters = true;
  c.links.delay = c.joined->domain_delay = 10'000'000;
  const Seconds near(0.002);
  const Seconds far(0.005);  // 8,000 windows, more than there are slots
  c.joined->site_delays = {{Seconds(0), near, far}, {near, Seconds(0), far}, {far, far, Seconds(0)}};
  for (std::uint32_t f = 0; f < 30; ++f)
    c.flows.push_back({f, (f * 29 + 31) % 72, 30'000 + 1000 * f, 500'000 * f});
  const Outcome windows = run_windows(c, kNdp);
  EXPECT_EQ(windows.counters.finished, c.flows.size());
  expect_same(windows, run_reference(c, kNdp));
  c.threads = 2;
  expect_same(windows, run_windows(c, kNdp));
}

TEST(JoinedPackets, EveryPacketTakesTimeOnALink) {
  wiring::LinkRules link;
  link.picoseconds_per_byte = wiring::ByteTime::of(wiring::ByteTime::kLeast);
  EXPECT_EQ(link.time(4096), 4U);
  EXPECT_EQ(link.time(64), 1U);
  EXPECT_EQ(link.time(0), 0U);
}

/// A NIC that six links lead to hands short packets on in less than a picosecond each.
TEST(JoinedPackets, ShortPacketsThatMeetAtANicStayInOrderWithAnyThreads) {
  Case c = joined_case();
  c.shape = shaped(TopologyKind::torus, 64, 8, {4, 4, 4});
  c.shape->domain = 8;
  c.hosts = 64;
  for (std::uint32_t from = 0; from < 64; ++from) {
    for (std::uint32_t to = 0; to < 64; ++to)
      if (from != to) c.flows.push_back({from, to, 1, 0});
  }
  const Outcome alone = run_windows(c, kNdp);
  EXPECT_EQ(alone.counters.finished, c.flows.size());
  expect_same(alone, run_reference(c, kNdp));
  for (c.threads = 2; c.threads <= 4; ++c.threads) expect_same(alone, run_windows(c, kNdp));
}

std::string said(const Scenario& s, const SimulationRun& run = {}) {
  try {
    simulate(s, run);
  } catch (const InputError& e) {
    return e.findings().front().message;
  }
  return "nothing";
}

TEST(JoinedPackets, WhatCannotBeSimulatedIsNamed) {
  EXPECT_NE(said(cluster("scale_up")).find("inside HB domains"), std::string::npos);
  const auto with = [](const std::string& setting) { return said(cluster("fat_tree", {setting})); };
  EXPECT_NE(with("simulation.routing=valiant").find("shortest ways"), std::string::npos);
  EXPECT_NE(with("simulation.pcie_rate=100 Gbps").find("one network alone"), std::string::npos);
  EXPECT_NE(with("wide_area.sites=[[1,1]]").find("places of 3 datacenters"), std::string::npos);
  EXPECT_NE(with("facility.datacenters=1").find("nothing"), std::string::npos);
  EXPECT_NE(with("network.wide_area_rate=1 Mbps").find("1 gateway of a network for 2"), std::string::npos);
  EXPECT_NE(with("network.scale_up_rate=1e-300 bps").find("a byte takes inf ps"), std::string::npos);
  Scenario one = cluster("fat_tree", {"simulation.extent=network", "simulation.domain_delay=1 us"});
  EXPECT_NE(said(one).find("no part of this simulation"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::packet
