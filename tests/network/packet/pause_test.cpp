// Priority flow control against closed forms: nothing is lost, nothing idles that has work, pauses come when
// they must.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "cases.h"
#include "makers.h"
#include "network/network_rules.h"
#include "network/packet/transports/dcqcn.h"

namespace trainyard::packet {
namespace {

/// RoCE that never slows down by itself.
auto unbridled(const TransportSetup& setup) {
  DcqcnInput input;
  input.enabled = false;
  return Acked<Roce<true>>(setup, Roce<true>(input));
}

Case lossless(std::int64_t hosts, std::int64_t radix) {
  Case c;
  c.hosts = hosts;
  c.radix = radix;
  c.links.delay = 200'000;
  c.load_balancing = LoadBalancing::ecmp;
  c.queues.trim = false;
  c.queues.pause_above = 15 * 4096;
  c.queues.resume_below = 12 * 4096;
  c.queues.headroom_bytes = 5 * 4096;
  return c;
}

TEST(Pauses, AnIncastKeepsTheReceiversLinkBusyAndLosesNothing) {
  // n senders of m packets each: the receiver's link begins with the first packet's arrival and never rests.
  Case c = lossless(16, 32);
  constexpr std::uint64_t kPackets = 200;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, kPackets * 4096, 0});
  const Outcome out = run_windows(c, unbridled);
  const Picoseconds packet = c.links.time(4096);
  EXPECT_EQ(last_received(out), packet + c.links.delay + 15 * kPackets * packet + c.links.delay);
  EXPECT_EQ(out.counters.drops, 0U);
  EXPECT_GT(out.counters.pauses, 0U);
  EXPECT_GT(out.counters.paused, 0U);
}

TEST(Pauses, SpreadThroughTheTreeAndStillLoseNothing) {
  // From other leaves: four links, store and forward, then the same.
  Case c = lossless(64, 16);
  constexpr std::uint64_t kPackets = 100;
  std::uint64_t flows = 0;
  for (std::uint32_t h = 8; h < 64; ++h, ++flows) c.flows.push_back({h, 0, kPackets * 4096, 0});
  const Outcome out = run_windows(c, unbridled);
  const Picoseconds packet = c.links.time(4096);
  EXPECT_EQ(last_received(out), 3 * (packet + c.links.delay) + flows * kPackets * packet + c.links.delay);
  EXPECT_EQ(out.counters.drops, 0U);
  EXPECT_EQ(out.counters.overflows, 0U);
}

TEST(Pauses, StopTheSenderWhenTheFrameHasArrived) {
  // Two senders at line rate: what waits from either grows by one packet in two packet times, so that the
  // 16th waits at time 32 p + d; the frame takes its own time and the delay. Until then the sender sends.
  Case c = lossless(3, 8);
  c.flows.push_back({1, 0, 200 * 4096, 0});
  c.flows.push_back({2, 0, 200 * 4096, 0});
  std::vector<TraceEntry> trace;
  run_case(c, [&](const TransportSetup& given) {
    TransportSetup setup = given;
    setup.traced_flows.assign(2, 1);
    auto transport = unbridled(setup);
    const RunOutcome run =
        run_transport(setup, transport, kMostPriorities, [](const WindowSummary&) { return true; });
    trace = run.trace;
    return run.counters;
  });
  const Picoseconds packet = c.links.time(4096);
  const Picoseconds stopped = 32 * packet + c.links.delay + c.links.time(64) + c.links.delay;
  Picoseconds last_before = 0;
  Picoseconds first_after = kNever;
  for (const TraceEntry& entry : trace) {
    if (entry.flow != 0 || entry.kind != PacketKind::data || entry.event != TraceEvent::left) continue;
    if (entry.node != 0) continue;  // of the hosts
    if (entry.time <= stopped) last_before = std::max(last_before, entry.time);
    if (entry.time > stopped) first_after = std::min(first_after, entry.time);
  }
  EXPECT_EQ(last_before, stopped / packet * packet);
  EXPECT_GT(first_after, last_before + packet);
}

/// Whatever links destroy and send again, keep and are slowed by, and however full the thresholds.
RC_GTEST_PROP(Pauses, HoldWithExactlyTheHeadroomThatIsNeeded, ()) {
  Case c = random_case();
  make_lossless(c);
  c.queues.lost_below = 0;
  if (*rc::gen::inRange(0, 4) != 0) add_retry(c);
  if (*rc::gen::arbitrary<bool>()) add_slow_links(c);
  std::stable_sort(c.faults.begin(), c.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.time < b.time; });
  c.queues.headroom_bytes = headroom_needed(c.queues, c.layout(), 4096);
  const Outcome out = run_windows(c, MakeRoce{});
  RC_ASSERT(out.counters.overflows == 0U);
  RC_ASSERT(out.counters.finished == c.flows.size());
}

/// Senders of both leaves to the other, so that pauses wait for data that goes the other way.
Case crossing() {
  Case c = lossless(32, 32);
  for (std::uint32_t h = 0; h < 16; ++h) {
    c.flows.push_back({h, 16, 400 * 4096, 0});
    c.flows.push_back({16 + h, 0, 400 * 4096, 0});
  }
  c.queues.pause_above = 2 * 4096;
  c.queues.resume_below = 4096;
  return c;
}

TEST(Pauses, WaitForPacketsThatAreSentAgain) {
  Case c = crossing();
  const std::uint64_t without = headroom_needed(c.queues, c.layout(), 4096);
  c.queues.link_retry = true;
  c.queues.lost_below = std::uint64_t{1} << 62U;  // a quarter
  c.queues.replay_limit = 9;
  c.queues.headroom_bytes = without;
  EXPECT_GT(run_windows(c, unbridled).counters.overflows, 0U);
  c.queues.headroom_bytes = headroom_needed(c.queues, c.layout(), 4096);
  // Nine times more a packet, the word that it was destroyed, and its way.
  const Picoseconds again = c.links.time(4096) + 2 * c.links.delay + c.links.time(8);
  EXPECT_EQ(c.queues.headroom_bytes, without + 9 * again / 80);
  const Outcome out = run_windows(c, unbridled);
  EXPECT_EQ(out.counters.overflows, 0U);
  EXPECT_EQ(out.counters.finished, c.flows.size());
}

TEST(Pauses, WaitForRoomToKeepWhatIsSent) {
  Case c = lossless(2, 8);
  const std::uint64_t without = headroom_needed(c.queues, c.layout(), 4096);
  c.queues.link_retry = true;
  EXPECT_EQ(headroom_needed(c.queues, c.layout(), 4096), without);  // nothing is destroyed
  c.queues.replay_bytes = 4096;
  // Until the word of the packet before has come.
  EXPECT_EQ(headroom_needed(c.queues, c.layout(), 4096), without + 2 * c.links.delay / 80 + 8);
}

/// A pause waits for a packet that a slow link has begun with, while what made it comes at the full rate
/// again.
TEST(Pauses, WaitForPacketsOfLinksThatWereSlow) {
  Case c = lossless(2, 8);
  const std::uint64_t without = headroom_needed(c.queues, c.layout(), 4096);
  c.slower = c.links;
  c.slower->picoseconds_per_byte = 800;
  EXPECT_EQ(headroom_needed(c.queues, c.layout(), 4096), without + 9 * (4096 + 64));
}

TEST(Pauses, OverflowWhereTheHeadroomIsTooSmall) {
  Case c = lossless(16, 32);
  c.links.delay = 3'000'000;
  c.queues.headroom_bytes = 4096;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, 400'000, 0});
  const Outcome out = run_windows(c, unbridled);
  EXPECT_GT(out.counters.overflows, 0U);
}

}  // namespace
}  // namespace trainyard::packet
