// Credits and retries of links (UE 1.0, sections 5.1 and 5.2): against closed forms and the slow twin.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/ndp.h"

namespace trainyard::packet {
namespace {

/// RoCE that never slows down by itself.
auto unslowed(const TransportSetup& setup) {
  DcqcnInput input;
  input.enabled = false;
  return Acked<Roce<true>>(setup, Roce<true>(input));
}

/// From host to host by one switch.
Case two_links() {
  Case c;
  c.hosts = 2;
  c.radix = 4;
  c.links.delay = 500'000;
  c.load_balancing = LoadBalancing::ecmp;
  c.queues.trim = false;
  return c;
}

RC_GTEST_PROP(Links, WithCreditsGiveTheResultsOfTheReference, ()) {
  Case c = random_case();
  add_credits(c);
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
  if (*rc::gen::inRange(0, 3) == 0) add_retry(c);
  if (*rc::gen::inRange(0, 3) == 0) add_probes(c);
  const Outcome windows = run_windows(c, kNdp);
  RC_ASSERT(windows.counters.finished == c.flows.size());
  RC_ASSERT(windows.counters.trims == 0U);
  expect_same(windows, run_reference(c, kNdp, windows.end));
  c.threads = 3;
  expect_same(windows, run_windows(c, kNdp));
}

RC_GTEST_PROP(Links, WithRetriesGiveTheResultsOfTheReference, ()) {
  Case c = random_case();
  add_retry(c);
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  const Outcome windows = run_windows(c, kNdp);
  RC_ASSERT(windows.counters.finished == c.flows.size());
  expect_same(windows, run_reference(c, kNdp));
  c.threads = 3;
  expect_same(windows, run_windows(c, kNdp));
}

TEST(Credits, LimitALinkToItsBufferInARoundTrip) {
  // Of B bytes at a time: a packet's credit is back when the packet has gone, its delay has passed and the
  // credit's own; so many leave in each such round, unless the link is the slower one.
  for (const std::uint64_t buffer : {1U, 2U, 3U, 7U, 100U}) {
    SCOPED_TRACE(buffer);
    Case c = two_links();
    c.queues.credit_bytes = buffer * 4096 + 4095;  // a part of a packet counts for nothing
    constexpr std::uint64_t kPackets = 840;
    c.flows.push_back({0, 1, kPackets * 4096, 0});
    const Outcome out = run_windows(c, unslowed);
    const Picoseconds packet = c.links.time(4096);
    const Picoseconds round = packet + 2 * c.links.delay + c.links.time(kOrderedSetBytes);
    Picoseconds last_begins = 0;  // by the round trip of a window of credits
    if (buffer * packet < round) {
      last_begins = (kPackets - 1) / buffer * round + (kPackets - 1) % buffer * packet;
    } else {
      last_begins = (kPackets - 1) * packet;
    }
    EXPECT_EQ(last_received(out), last_begins + 2 * (packet + c.links.delay));
    EXPECT_EQ(out.counters.drops, 0U);
    EXPECT_EQ(out.counters.paused > 0, buffer * packet < round);
  }
}

TEST(Credits, LoseNothingInAnIncastAndKeepTheReceiverBusy) {
  Case c = two_links();
  c.hosts = 16;
  c.radix = 32;
  c.queues.credit_bytes = 16 * 4096;
  constexpr std::uint64_t kPackets = 200;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, kPackets * 4096, 0});
  const Layout layout = c.layout();
  const Wire& wire = layout.wires[layout.port_of_host(0, 0)];
  Probe probe;
  probe.index = layout.nodes[wire.node].first_port + wire.in_port;
  probe.interval = 10'000'000;
  c.probes.push_back(probe);
  const Outcome out = run_windows(c, unslowed);
  const Picoseconds packet = c.links.time(4096);
  EXPECT_EQ(last_received(out), packet + c.links.delay + 15 * kPackets * packet + c.links.delay);
  EXPECT_EQ(out.counters.drops, 0U);
  // What waits never passes the buffers behind all senders' links.
  EXPECT_LE(out.counters.longest_queue, 15U * 16U * 4096U);
  EXPECT_GT(out.counters.longest_queue, 15U * 8U * 4096U);
}

TEST(Credits, OfLostPacketsComeBack) {
  Case c = two_links();
  c.queues.credit_bytes = 4096;
  c.queues.lost_below = std::uint64_t{1} << 61U;  // an eighth
  c.flows.push_back({0, 1, 100 * 4096, 0});
  const Outcome out = run_windows(c, kNdp);
  EXPECT_EQ(out.counters.finished, 1U);
  EXPECT_GT(out.counters.corrupted, 0U);
}

TEST(Retry, CostsARoundTripForEveryPacketThatIsDestroyed) {
  // One link sends without rest: n packets' time, and for each replay a packet's and the link's round trip.
  Case c = two_links();
  c.queues.link_retry = true;
  c.queues.replay_limit = 100;
  c.queues.data_bytes = 4000 * 4096;  // the second link has replays of its own
  constexpr double kLost = 1.0 / 16;
  c.queues.lost_below = static_cast<std::uint64_t>(kLost * 0x1p64);
  constexpr std::uint64_t kPackets = 4000;
  c.flows.push_back({0, 1, kPackets * 4096, 0});
  const Layout layout = c.layout();
  Probe probe;
  probe.index = layout.port_of_host(0, 0);
  probe.interval = 1'000'000'000;
  c.probes.push_back(probe);
  const Outcome out = run_windows(c, unslowed);
  EXPECT_EQ(out.counters.corrupted, 0U);
  EXPECT_EQ(out.counters.repeats, 0U);  // the transport saw no loss
  Picoseconds busy = 0;
  for (const QueueSample& s : out.series[0].queue) busy += s.busy;
  const Picoseconds packet = c.links.time(4096);
  const Picoseconds again = packet + 2 * c.links.delay + c.links.time(kOrderedSetBytes);
  ASSERT_GT(busy, kPackets * packet);
  EXPECT_EQ((busy - kPackets * packet) % again, 0U);
  // A packet is sent 1 / (1 - p) times on average.
  const double replays = static_cast<double>((busy - kPackets * packet) / again);
  const double mean = kPackets * kLost / (1 - kLost);
  EXPECT_NEAR(replays, mean, 5 * std::sqrt(mean / (1 - kLost)));
}

TEST(Retry, KeepsNoMoreThanItsReplayBuffer) {
  // Without errors: W packets in the time that it takes to hear of the first.
  for (const std::uint64_t room : {1U, 2U, 3U, 50U}) {
    SCOPED_TRACE(room);
    Case c = two_links();
    c.queues.link_retry = true;
    c.queues.replay_bytes = room * 4096;
    constexpr std::uint64_t kPackets = 600;
    c.flows.push_back({0, 1, kPackets * 4096, 0});
    const Outcome out = run_windows(c, unslowed);
    const Picoseconds packet = c.links.time(4096);
    const Picoseconds round = packet + 2 * c.links.delay + c.links.time(kOrderedSetBytes);
    const Picoseconds last_begins = room * packet < round
                                        ? (kPackets - 1) / room * round + (kPackets - 1) % room * packet
                                        : (kPackets - 1) * packet;
    EXPECT_EQ(last_received(out), last_begins + 2 * (packet + c.links.delay));
    EXPECT_EQ(out.counters.replays, 0U);
  }
}

TEST(Retry, GivesUpAfterItsLimit) {
  // Half of all are destroyed, each time: of all packets a share of 2^-(limit + 1) is lost on a link.
  Case c = two_links();
  c.queues.link_retry = true;
  c.queues.replay_limit = 1;
  c.queues.lost_below = std::uint64_t{1} << 63U;
  c.flows.push_back({0, 1, 400 * 4096, 0});
  const Outcome out = run_windows(c, kNdp);
  EXPECT_EQ(out.counters.finished, 1U);
  const double sent = static_cast<double>(out.counters.hops);
  EXPECT_NEAR(static_cast<double>(out.counters.corrupted), sent / 4, 5 * std::sqrt(sent * 3 / 16));
  EXPECT_NEAR(static_cast<double>(out.counters.replays), sent / 2, 5 * std::sqrt(sent / 4));
}

}  // namespace
}  // namespace trainyard::packet
