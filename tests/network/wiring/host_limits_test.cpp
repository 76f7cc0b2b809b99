// Hosts that are slower than their links, against closed forms: rates, latencies, and what a full NIC does.
#include "network/wiring/host_limits.h"

#include <gtest/gtest.h>

#include "network/packet/cases.h"
#include "network/packet/makers.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/ndp.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard::wiring {
namespace {

using namespace workload;  // NOLINT(google-build-using-namespace)
using namespace packet;    // NOLINT(google-build-using-namespace)

/// RoCE that never slows down by itself.
auto unbridled(const TransportSetup& setup) {
  DcqcnInput input;
  input.enabled = false;
  return Acked<Roce<true>>(setup, Roce<true>(input));
}

constexpr std::uint64_t kSentPackets = 30;
constexpr Picoseconds kLatency = 700'000;

/// One flow between two hosts at one leaf: two links of 100 Gbps.
Case lone_flow() {
  Case c;
  c.hosts = 2;
  c.radix = 8;
  c.flows.push_back({0, 1, kSentPackets * 4096, 0});
  return c;
}

/// Times the byte's time of the links.
Pace slower_by(std::uint64_t factor, const Case& c) {
  return {factor * c.links.picoseconds_per_byte * Pace::kKib};
}

TEST(HostLimits, ASlowSenderSpacesItsPackets) {
  // The last packet begins when all others have had their time at the host's pace.
  Case c = lone_flow();
  c.limits.send = slower_by(3, c);
  const Outcome out = run_windows(c, kNdp);
  const Picoseconds link = c.links.time(4096) + c.links.delay;
  EXPECT_EQ(out.flows[0].received, (kSentPackets - 1) * c.limits.send.time(4096) + 2 * link);
}

TEST(HostLimits, ASlowReceiverTakesPacketsOneAfterTheOther) {
  Case c = lone_flow();
  c.limits.receive = slower_by(3, c);
  const Outcome out = run_windows(c, kNdp);
  const Picoseconds link = c.links.time(4096) + c.links.delay;
  EXPECT_EQ(out.flows[0].received, 2 * link + kSentPackets * c.limits.receive.time(4096));
  EXPECT_EQ(out.counters.trims, 0U);
}

TEST(HostLimits, ABusSlowerThanTheLinkSetsTheRateAndAddsItsLatencyAtEitherEnd) {
  Case c = lone_flow();
  c.limits = {slower_by(2, c), slower_by(2, c), kLatency};
  const Outcome out = run_windows(c, kNdp);
  const Picoseconds link = c.links.time(4096) + c.links.delay;
  const Picoseconds bus = c.limits.receive.time(4096);
  EXPECT_EQ(out.flows[0].received, kLatency + (kSentPackets - 1) * bus + 2 * link + bus + kLatency);
  const Picoseconds back = 2 * (c.links.time(64) + c.links.delay);
  EXPECT_EQ(out.flows[0].finished,
            out.flows[0].received + kLatency + back + c.limits.receive.time(64) + kLatency);
}

TEST(HostLimits, ABusFasterThanTheLinkAddsItsTimeOnce) {
  Case c = lone_flow();
  const Pace twice_as_fast{c.links.picoseconds_per_byte * Pace::kKib / 2};
  c.limits = {twice_as_fast, twice_as_fast, kLatency};
  const Outcome out = run_windows(c, kNdp);
  const Picoseconds packet = c.links.time(4096);
  EXPECT_EQ(out.flows[0].received,
            kLatency + kSentPackets * packet + packet + 2 * c.links.delay + packet / 2 + kLatency);
}

TEST(HostLimits, AnIncastTakesTheReceiversTime) {
  // One packet from each of n senders: the first is there after two links, then the host never rests.
  Case c;
  c.hosts = 16;
  c.radix = 32;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, 4096, 0});
  c.limits.receive = slower_by(4, c);
  const Outcome out = run_windows(c, kNdp);
  EXPECT_EQ(last_received(out), 2 * (c.links.time(4096) + c.links.delay) + 15 * c.limits.receive.time(4096));
}

TEST(HostLimits, ASlowReceiverPausesItsSwitchAndLosesNothing) {
  Case c;
  c.hosts = 16;
  c.radix = 32;
  c.links.delay = 200'000;
  c.load_balancing = LoadBalancing::ecmp;
  c.queues.trim = false;
  c.queues.pause_above = 15 * 4096;
  c.queues.resume_below = 12 * 4096;
  c.queues.headroom_bytes = 5 * 4096;
  c.limits.receive = slower_by(3, c);
  constexpr std::uint64_t kEach = 100;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, kEach * 4096, 0});
  const Outcome out = run_windows(c, unbridled);
  EXPECT_EQ(last_received(out),
            2 * (c.links.time(4096) + c.links.delay) + 15 * kEach * c.limits.receive.time(4096));
  EXPECT_EQ(out.counters.drops, 0U);
  EXPECT_EQ(out.counters.overflows, 0U);
  EXPECT_GT(out.counters.pauses, 0U);
}

TEST(HostLimits, AFullNicCutsOrDropsAsASwitchWould) {
  // The only place where this flow can wait is its receiver's NIC. At a third of the link's rate, of the 30
  // packets of the first window 8 wait; those that were taken in when the last one came make room.
  Case c = lone_flow();
  c.queues.data_bytes = 8 * 4096ULL;
  c.limits.receive = slower_by(3, c);
  const Outcome cut = run_windows(c, kNdp);
  // When the 30th arrives, 29 packet times after the first, the tenth is being taken in: 9 are done, and
  // 8 wait at most. Headers are served first, in between, so one more may have been cut.
  EXPECT_GE(cut.counters.trims, 30U - 10 - 8);
  EXPECT_EQ(cut.counters.drops, 0U);
  EXPECT_EQ(cut.counters.finished, 1U);
  c.queues.trim = false;
  const Outcome dropped = run_windows(c, kDctcp);
  EXPECT_GT(dropped.counters.drops, 0U);
  EXPECT_EQ(dropped.counters.finished, 1U);
}

TEST(HostLimits, ReceiversGiveCreditForWhatTheyCanTake) {
  // Beyond the first windows nothing piles up: with a queue for these, nothing is cut.
  Case c;
  c.hosts = 5;
  c.radix = 16;
  c.window_packets = 10;
  for (std::uint32_t h = 1; h < 5; ++h) c.flows.push_back({h, 0, 400 * 4096ULL, 0});
  c.limits.receive = slower_by(3, c);
  const Outcome out = run_windows(c, kNdp);
  EXPECT_EQ(out.counters.trims, 0U);
  const Picoseconds least = 4 * 400 * c.limits.receive.time(4096);
  EXPECT_GE(last_received(out), least);
  EXPECT_LT(last_received(out), least + least / 20);
}

TEST(HostLimits, PlanesTakeTurns) {
  // Flows that are bound to planes by their hash: those of one plane do not starve those of the other. An
  // odd number of flows, so that the planes differ.
  Case c;
  c.hosts = 8;
  c.radix = 16;
  c.planes = 2;
  c.load_balancing = LoadBalancing::ecmp;
  for (std::uint32_t f = 0; f < 13; ++f) c.flows.push_back({0, 1 + f % 7, 40 * 4096ULL, 0});
  c.limits.send = slower_by(2, c);
  std::vector<std::uint32_t> plane;
  std::vector<std::uint64_t> flows_of(2, 0);
  const Outcome out = run_case(c, [&](const TransportSetup& setup) {
    const Paths paths = setup.paths();
    for (std::uint32_t f = 0; f < 13; ++f) ++flows_of[plane.emplace_back(paths.plane_of(f, false))];
    auto transport = kNdp(setup);
    return run_transport(setup, transport, kMostPriorities, [](const WindowSummary&) { return true; })
        .counters;
  });
  ASSERT_NE(flows_of[0], flows_of[1]);
  const std::uint32_t few = flows_of[0] < flows_of[1] ? 0 : 1;
  // A plane gets half of the host while both have data: the one with fewer flows takes twice their time, the
  // host never rests, and acknowledgements come after.
  Picoseconds end_of_few = 0;
  for (std::uint32_t f = 0; f < 13; ++f) {
    if (plane[f] == few) end_of_few = std::max(end_of_few, out.flows[f].received);
  }
  const Picoseconds flow_time = 40 * c.limits.send.time(4096);
  const Picoseconds slack = 8 * (c.links.time(4096) + c.links.delay);
  EXPECT_NEAR(static_cast<double>(end_of_few), static_cast<double>(2 * flows_of[few] * flow_time),
              static_cast<double>(slack));
  EXPECT_NEAR(static_cast<double>(last_received(out)), static_cast<double>(13 * flow_time),
              static_cast<double>(slack));
}

// The settings.

Scenario scenario_with(const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load("ndp-permutation");
  for (const std::string& change : changes) text.set(change);
  Scenario scenario = text.resolve();
  scenario.designs[0].hosts = 32;
  scenario.designs[0].radix = 16;
  scenario.simulation.bytes = Bytes(400e3);
  return scenario;
}

std::string refusal(const std::vector<std::string>& changes) {
  try {
    simulate(scenario_with(changes));
  } catch (const InputError& error) {
    return error.findings().front().where.source->name + ": " + error.findings().front().message;
  }
  return {};
}

TEST(HostLimitSettings, ThatLimitNothingAreRefused) {
  EXPECT_EQ(refusal({"simulation.host_send_rate=100 Gbps"}),
            "simulation.host_send_rate: not below the rate of a host's links: nothing would be limited");
  EXPECT_EQ(refusal({"simulation.host_receive_rate=1 Tbps"}),
            "simulation.host_receive_rate: not below the rate of a host's links: nothing would be limited");
  EXPECT_EQ(refusal({"simulation.pcie_latency=500 ns"}),
            "simulation.pcie_latency: a latency of the bus without its rate");
  EXPECT_EQ(refusal({"simulation.host_send_rate=99 Gbps"}), "");
  EXPECT_EQ(refusal({"simulation.pcie_rate=500 Gbps", "simulation.pcie_latency=500 ns"}), "");
}

TEST(HostLimitSettings, AreLeftOutOfTheHashWhileAbsent) {
  const std::string absent = simulation_hash(scenario_with({}));
  for (const auto& [key, value] : simulation_settings(scenario_with({})))
    EXPECT_NE(key, "simulation.host_send_rate");
  EXPECT_EQ(simulation_hash(scenario_with({"simulation.host_send_rate=auto"})), absent);
  EXPECT_NE(simulation_hash(scenario_with({"simulation.host_send_rate=50 Gbps"})), absent);
  EXPECT_NE(simulation_hash(scenario_with({"simulation.pcie_rate=500 Gbps"})), absent);
}

TEST(HostLimitSettings, SetTheLeastTimeForEveryTransport) {
  for (const char* transport : {"ndp", "homa", "eqds", "dctcp", "smartt", "roce", "ideal"}) {
    for (const std::vector<std::string>& limits : std::vector<std::vector<std::string>>{
             {},
             {"simulation.host_send_rate=40 Gbps"},
             {"simulation.host_receive_rate=30 Gbps"},
             {"simulation.pcie_rate=60 Gbps", "simulation.pcie_latency=800 ns"},
             {"simulation.pcie_rate=252 Gbps", "simulation.pcie_latency=800 ns"}}) {
      std::vector<std::string> changes = limits;
      changes.push_back(std::string("simulation.transport=") + transport);
      const SimulationResult result = simulate(scenario_with(changes));
      for (const double slowdown : result.slowdowns) EXPECT_GE(slowdown, 1 - 1e-9) << transport;
      EXPECT_EQ(result.counters.finished, result.flows.size());
    }
  }
}

}  // namespace
}  // namespace trainyard::wiring
