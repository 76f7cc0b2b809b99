// Priority flow control against closed forms: nothing is lost, nothing idles that has work, pauses come when
// they must.
#include <gtest/gtest.h>

#include "cases.h"
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

Picoseconds last_received(const Outcome& out) {
  Picoseconds last = 0;
  for (const Flow& flow : out.flows) last = std::max(last, flow.received);
  return last;
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
