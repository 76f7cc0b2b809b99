// Connections of several messages, and acknowledgements that answer for several packets: closed forms.
#include <gtest/gtest.h>

#include "cases.h"
#include "network/packet/transports/credits.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/nscc.h"

namespace trainyard::packet {
namespace {

constexpr auto kNscc = [](const TransportSetup& s) { return Acked<Nscc>(s, Nscc(NsccInput{}, true)); };
constexpr auto kDctcp = [](const TransportSetup& s) { return Acked<Dctcp>(s, Dctcp(DctcpInput{})); };
constexpr auto kEqds = [](const TransportSetup& s) { return Credits(s, {50, 1, 0.99}); };
/// RoCE that never slows down by itself.
constexpr auto kRoce = [](const TransportSetup& s) {
  DcqcnInput input;
  input.enabled = false;
  return Acked<Roce<true>>(s, Roce<true>(input));
};

/// From host to host by one switch.
Case two_trimming_links() {
  Case c;
  c.hosts = 2;
  c.radix = 4;
  c.links.delay = 500'000;
  return c;
}

/// One connection from host 0 to 1 with these messages, of packets.
Case connection_of(const std::vector<std::uint64_t>& messages) {
  Case c = two_trimming_links();
  Connection connection;
  for (const std::uint64_t packets : messages) {
    connection.push_back(static_cast<std::uint32_t>(c.flows.size()));
    c.flows.push_back({0, 1, packets * 4096, 0});
  }
  if (connection.size() > 1) c.connections.push_back(connection);
  return c;
}

template <class Make>
void expect_messages_of_one_stream(const Make& make) {
  // What is queued at once leaves as one flow of all: message i ends when a flow as long as the first i does.
  const std::vector<std::uint64_t> messages = {3, 40, 1, 130, 17};
  const Outcome all = run_windows(connection_of(messages), make);
  std::uint64_t sum = 0;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    SCOPED_TRACE(m);
    sum += messages[m];
    EXPECT_EQ(all.flows[m].received, run_windows(connection_of({sum}), make).flows[0].received);
    EXPECT_GT(all.flows[m].finished, all.flows[m].received);
  }
  EXPECT_EQ(all.counters.finished, messages.size());
  EXPECT_EQ(all.counters.timeouts, 0U);
}

TEST(Messages, OfOneConnectionAreSentAsOneStream) {
  expect_messages_of_one_stream(kNscc);
  expect_messages_of_one_stream(kDctcp);
  expect_messages_of_one_stream(kRoce);
  expect_messages_of_one_stream(kEqds);
}

TEST(Messages, CarryTheirOwnLastBytes) {
  // 5,000 bytes are a full packet and one of 904; the next message begins with a packet of its own.
  Case c = connection_of({1, 1});
  c.flows[0].bytes = 5'000;
  c.flows[1].bytes = 100;
  const Outcome out = run_windows(c, kNscc);
  const auto& link = c.links;
  // The second link is busy with the full packet while the short one arrives at it.
  EXPECT_EQ(out.flows[0].received, 2 * link.delay + 2 * link.time(4096) + link.time(904));
  EXPECT_EQ(out.flows[1].received, out.flows[0].received + link.time(100));
}

TEST(Messages, KeepTheStateOfTheirConnection) {
  // DCTCP begins with a window of some packets and doubles it: a connection that has been used is faster than
  // a new one for the same message.
  const Picoseconds later = 2'000'000'000;
  Case fresh = connection_of({200});
  Case used = connection_of({200, 200});
  used.flows[1].start = later;
  fresh.links.delay = used.links.delay = 5'000'000;
  const Flow first = run_windows(fresh, kDctcp).flows[0];
  const Outcome out = run_windows(used, kDctcp);
  EXPECT_EQ(out.flows[0].received, first.received);
  EXPECT_EQ(out.flows[1].began, later);
  const Picoseconds least = 200 * used.links.time(4096) + used.links.time(4096) + 2 * used.links.delay;
  EXPECT_GE(out.flows[1].received - later, least);
  EXPECT_LT(out.flows[1].received - later, first.received);
}

TEST(Messages, WaitForThoseBeforeThem) {
  // The second is asked for first, and sent behind the first, which begins later.
  Case c = connection_of({10, 10});
  c.flows[0].start = 100'000'000;
  c.flows[1].start = 0;
  const Outcome out = run_windows(c, kEqds);
  EXPECT_EQ(out.flows[1].began, 0U);
  EXPECT_EQ(out.flows[1].received, out.flows[0].received + 10 * c.links.time(4096));
}

TEST(Acknowledgements, OfSeveralPacketsAreThatManyFewer) {
  // 800 packets over two links, and an acknowledgement for every n of them.
  for (const std::uint32_t n : {1U, 2U, 4U, 5U, 16U}) {
    SCOPED_TRACE(n);
    Case c = connection_of({800});
    c.packets_per_ack = n;
    const Outcome out = run_windows(c, kRoce);
    EXPECT_EQ(out.counters.hops, 2 * (800 + 800 / n));
    EXPECT_EQ(out.flows[0].received, 801 * c.links.time(4096) + 2 * c.links.delay);
    const Outcome credits = run_windows(c, kEqds);
    EXPECT_EQ(credits.counters.timeouts, 0U);
  }
}

TEST(Acknowledgements, AreAskedForWhereAWindowIsUsedUp) {
  // Windows of w packets, of which the last asks: as fast as with an acknowledgement for each, or, where the
  // link would have gone on with the first packet's, later by the packets that it waits for.
  for (const std::int64_t window : {1, 2, 3, 5, 7}) {
    for (const std::uint32_t n : {1U, 2U, 4U, 16U}) {
      SCOPED_TRACE(window * 100 + n);
      Case c = connection_of({240});
      c.links.delay = 50'000'000;  // a round trip is longer than any of these windows
      c.packets_per_ack = n;
      const Outcome out = run_windows(c, [&](const TransportSetup& s) {
        NsccInput input;
        input.first_window = static_cast<double>(window);
        input.fast_increase = input.proportional_increase = input.steady_increase = 0;
        return Acked<Nscc>(s, Nscc(input, true));
      });
      EXPECT_EQ(out.counters.timeouts, 0U);
      EXPECT_EQ(out.counters.repeats, 0U);
      const Picoseconds packet = c.links.time(4096);
      const Picoseconds round = 2 * packet + 4 * c.links.delay + 2 * c.links.time(64);
      const auto w = static_cast<std::uint64_t>(window);
      const Picoseconds least = 240 / w * round;
      EXPECT_GE(out.flows[0].finished, least);
      EXPECT_LE(out.flows[0].finished, (240 + w - 1) / w * (round + (w - 1) * packet));
    }
  }
}

TEST(Acknowledgements, OfMarkedPacketsAnswerForNoOthersUnlessALawTakesThem) {
  Gathered<AckedPacket> gathered;
  AckedPacket packet;
  EXPECT_TRUE(gathered.goes_with(packet, false));
  gathered.add(packet);
  packet.sequence = 1;
  EXPECT_TRUE(gathered.goes_with(packet, false));
  packet.marks = Packet::kCongested;
  EXPECT_FALSE(gathered.goes_with(packet, false));
  EXPECT_TRUE(gathered.goes_with(packet, true));
}

TEST(Acknowledgements, ReachAsFarAsTheirBits) {
  Gathered<SelectivePacket> gathered;
  SelectivePacket packet;
  packet.sequence = 100;
  gathered.add(packet);
  for (const auto& [sequence, reaches] : {std::pair{69U, true}, {131U, true}, {68U, false}, {132U, false}}) {
    packet.sequence = sequence;
    EXPECT_EQ(gathered.goes_with(packet, false), reaches) << sequence;
  }
}

}  // namespace
}  // namespace trainyard::packet
