// The packet engine against its slow twin, against closed forms, and NDP's promise to deliver everything.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/ndp.h"
#include "network/wiring/wired_back.h"

namespace trainyard::packet {
namespace {

Outcome run_ndp_windows(const Case& c) { return run_windows(c, kNdp); }

void expect_reference_with_troubles(Case c) {
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  if (*rc::gen::inRange(0, 3) == 0) add_pauses(c);
  const Outcome windows = run_ndp_windows(c);
  expect_same(windows, run_reference(c, kNdp));
  c.threads = 3;
  expect_same(windows, run_ndp_windows(c));
}

RC_GTEST_PROP(PacketEngine, GivesTheResultsOfTheReferenceToThePicosecond, ()) {
  Case c = random_case();
  expect_reference_with_troubles(c);
}

RC_GTEST_PROP(PacketEngine, GivesTheResultsOfTheReferenceWhereHostsAreLimited, ()) {
  Case c = random_case();
  add_limits(c);
  expect_reference_with_troubles(c);
}

/// Four flows have filled the queue when a short one comes, whose packets are all cut: a tenth pull of its
/// own after nine rounds over five flows, not behind the 200 pulls that are owed to the others.
TEST(Ndp, PullsInTurnOverFlows) {
  Case c;
  c.hosts = 16;
  c.radix = 16;
  c.window_packets = 50;
  c.queues.data_bytes = 50 * 4096;
  for (const std::uint32_t from : {0U, 1U, 2U, 3U}) c.flows.push_back({from, 8, 250 * 4096, 0});
  c.flows.push_back({4, 8, 10 * 4096, 20'000'000});
  const Outcome out = run_ndp_windows(c);
  const Picoseconds packet = c.links.time(4096);
  const Picoseconds way = 4 * (c.links.delay + packet);
  const workload::Flow& late = out.flows.back();
  EXPECT_LT(late.received - late.began, (5 * 10 + 50) * packet + 3 * way);
}

/// Windows are shorter than a packet's time: in most of them the one switch does nothing but hold what waits.
TEST(PacketEngine, TellsOfQueuesInWindowsInWhichNothingIsServed) {
  constexpr std::uint64_t kPackets = 10;
  Case c;
  c.hosts = 4;
  c.radix = 8;
  c.links.delay = 50'000;
  c.window_packets = kPackets;
  for (const std::uint32_t from : {0U, 1U}) c.flows.push_back({from, 3, kPackets * 4096, 0});
  std::vector<WindowSummary> windows;
  run_case(c, [&](const TransportSetup& setup) {
    Ndp transport(setup, NdpInput{});
    const auto note = [&](const WindowSummary& window) {
      windows.push_back(window);
      return true;
    };
    return run_transport(setup, transport, kMostPriorities, note).counters;
  });
  const Picoseconds packet = c.links.time(4096);
  const Picoseconds first = c.links.delay + packet;  // two at once
  const Picoseconds last = first + (2 * kPackets - 1) * packet;
  std::size_t busy = 0;
  for (const WindowSummary& window : windows) {
    if (window.begin < first || window.begin + c.links.delay > last) continue;
    EXPECT_GE(window.longest_queue, 4096U) << window.begin;
    ++busy;
  }
  EXPECT_GT(busy, 5 * 2 * kPackets);
}

RC_GTEST_PROP(Ndp, DeliversEveryByteWhateverIsCutOrDropped, ()) {
  Case c = random_case();
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  const Outcome out = run_ndp_windows(c);
  RC_ASSERT(out.counters.finished == c.flows.size());
  for (const Flow& flow : out.flows) {
    RC_ASSERT(flow.received != kNever);
    RC_ASSERT(flow.finished > flow.received);
    // No faster than the sender's link.
    RC_ASSERT(flow.received - flow.began >= flow.bytes * c.links.picoseconds_per_byte / c.planes);
  }
}

TEST(Ndp, ALoneFlowTakesItsTimeOnEveryLink) {
  // Store and forward over h links: P packets one after the other, then the last one over the h - 1 other
  // links.
  for (const std::int64_t hosts : {2, 16, 54}) {
    Case c;
    c.hosts = hosts;
    c.radix = 6;
    c.flows.push_back({0, static_cast<std::uint32_t>(hosts - 1), 30ULL * 4096, 0});
    const Outcome out = run_ndp_windows(c);
    const Layout layout = c.layout();
    const std::uint64_t links = 2ULL * layout.tiers;
    const Picoseconds packet = c.links.time(4096);
    EXPECT_EQ(out.flows[0].received, 30 * packet + (links - 1) * packet + links * c.links.delay) << hosts;
    EXPECT_EQ(out.flows[0].finished, out.flows[0].received + links * (c.links.time(64) + c.links.delay))
        << hosts;
  }
}

TEST(Ndp, AnIncastTakesTheReceiversLink) {
  // n senders of one packet each: the last byte leaves the receiver's leaf n packet times after the first
  // begins.
  Case c;
  c.hosts = 16;
  c.radix = 32;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, 4096, 0});
  const Outcome out = run_ndp_windows(c);
  Picoseconds last = 0;
  for (const Flow& flow : out.flows) last = std::max(last, flow.received);
  const Picoseconds packet = c.links.time(4096);
  EXPECT_EQ(last, packet + c.links.delay + 15 * packet + c.links.delay);
  EXPECT_EQ(out.counters.trims, 0U);
}

TEST(Ndp, SprayingFillsATreeAndSinglePathsDoNot) {
  Case c;
  c.hosts = 128;
  c.radix = 16;
  for (std::uint32_t h = 0; h < 128; ++h) c.flows.push_back({h, (h + 64) % 128, 800'000, 0});
  const auto last = [](const Outcome& out) {
    Picoseconds t = 0;
    for (const Flow& flow : out.flows) t = std::max(t, flow.received);
    return t;
  };
  const Picoseconds sprayed = last(run_ndp_windows(c));
  c.load_balancing = LoadBalancing::ecmp;
  const Picoseconds single = last(run_ndp_windows(c));
  const Picoseconds ideal = 800'000 * c.links.picoseconds_per_byte;
  EXPECT_LT(sprayed, ideal + ideal / 4);
  EXPECT_GT(single, 2 * ideal);
}

TEST(Ndp, ALineupBeginsItsNextFlowAtEveryEnd) {
  // A windowed all-to-all: of a host's flows, of different sizes, two run at a time.
  Case c;
  c.hosts = 16;
  c.radix = 32;
  for (const std::uint32_t host : {0U, 1U}) {
    Lineup lineup;
    for (std::uint32_t f = 0; f < 8; ++f) {
      if (f >= 2) lineup.push_back(static_cast<std::uint32_t>(c.flows.size()));
      c.flows.push_back({host, 2 + f, (8 - f) * (2 - host) * 40'960ULL, 0});
    }
    c.lineups.push_back(std::move(lineup));
  }
  for (std::uint32_t f = 0; f < 16; ++f) c.dependencies.push_back({f, 16 + f / 8, false});
  const Outcome out = run_ndp_windows(c);
  for (std::uint32_t host = 0; host < 2; ++host) {
    std::vector<Picoseconds> ends;
    for (std::uint32_t f = 0; f < 8; ++f) ends.push_back(out.flows[8 * host + f].finished);
    std::sort(ends.begin(), ends.end());
    for (std::uint32_t f = 2; f < 8; ++f) EXPECT_EQ(out.flows[8 * host + f].began, ends[f - 2]);
  }
}

TEST(Layout, EveryPortIsWiredBackToItself) {
  for (const std::int64_t hosts : {1, 5, 40, 300, 1000}) {
    Case c;
    c.hosts = hosts;
    c.radix = 18;
    c.planes = 2;
    wiring::expect_wired_back(c.layout());
  }
}

}  // namespace
}  // namespace trainyard::packet
