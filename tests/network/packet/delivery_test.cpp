// Delivery modes of Ultra Ethernet: what one lost packet costs in each, as the specification's rules say, to
// the picosecond; what becomes of packets that nobody sends again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/credits.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/nscc.h"
#include "network/packet/transports/unreliable.h"

namespace trainyard::packet {
namespace {

/// A window that one lost packet does not bring near the round trip.
NsccInput wide() {
  NsccInput input;
  input.largest_window = 20;
  input.quick_adapt_share = 0;
  return input;
}
constexpr auto kOrdered = [](const TransportSetup& s) {
  return Acked<OrderedNscc>(s, OrderedNscc(wide(), s.queues.trim));
};
constexpr auto kUnordered = [](const TransportSetup& s) {
  return Acked<Nscc>(s, Nscc(wide(), s.queues.trim));
};
/// Receivers' credit at the whole rate of their links, after a round trip's speculation.
constexpr auto kCredits = [](const TransportSetup& s) {
  return Credits(s, {.window_packets = 20, .packets_per_pull = 1, .rate = 1});
};
constexpr auto kUnreliable = [](const TransportSetup& s) { return Unreliable(s); };

constexpr std::uint64_t kPacketsOfAFlow = 200;

/// One flow from host to host by one switch. A window is shorter than a packet, so that a link that is down
/// for one window loses no more than one. What is ordered takes one path.
Case two_links(Delivery delivery) {
  Case c;
  c.hosts = 4;
  c.radix = 8;
  c.links.delay = 100'000;
  c.delivery = delivery;
  if (delivery == Delivery::rod) c.load_balancing = LoadBalancing::ecmp;
  c.flows.push_back({0, 3, kPacketsOfAFlow * 4096, 0});
  return c;
}
Picoseconds data_time(const Case& c) { return c.links.time(4096); }
/// Over both links of an empty network.
Picoseconds data_way(const Case& c) { return 2 * (c.links.delay + data_time(c)); }
Picoseconds answer_way(const Case& c) { return 2 * (c.links.delay + c.links.time(64)); }

/// The link of a host loses what it begins to send at a time.
void lose_at(Case& c, std::uint32_t host, Picoseconds time) {
  const std::uint32_t port = c.layout().port_of_host(host, 0);
  const Picoseconds begin = time / c.links.delay * c.links.delay;
  c.faults = {{begin, port, true}, {begin + c.links.delay, port, false}};
}
/// Packet k of the flow, at its sender; or its answer, at the receiver.
void lose_data(Case& c, std::uint64_t k) { lose_at(c, 0, k * data_time(c)); }
void lose_answer(Case& c, std::uint64_t k) { lose_at(c, 3, k * data_time(c) + data_way(c)); }

/// The same on two threads and on the reference engine.
template <class Make>
Outcome run_everywhere(Case c, const Make& make) {
  const Outcome out = run_windows(c, make);
  const Outcome reference = run_reference(c, make);
  c.threads = 2;
  const Outcome threads = run_windows(c, make);
  for (std::size_t f = 0; f < out.flows.size(); ++f) {
    EXPECT_EQ(out.flows[f].received, reference.flows[f].received);
    EXPECT_EQ(out.flows[f].finished, reference.flows[f].finished);
    EXPECT_EQ(out.flows[f].received, threads.flows[f].received);
    EXPECT_EQ(out.flows[f].finished, threads.flows[f].finished);
  }
  EXPECT_EQ(out.counters.repeats, threads.counters.repeats);
  EXPECT_EQ(out.counters.duplicates, threads.counters.duplicates);
  EXPECT_EQ(out.lost_bytes, threads.lost_bytes);
  EXPECT_EQ(out.lost_bytes, reference.lost_bytes);
  return out;
}

/// Two flows in order meet at a queue of so many packets, which cuts payloads off: gaps are repaired without
/// a timeout.
template <class Make>
void expect_complaints(std::uint64_t queue, const Make& make) {
  Case c = two_links(Delivery::rod);
  c.flows.push_back({1, 3, kPacketsOfAFlow * 4096, 0});
  c.queues.trim = true;
  c.queues.data_bytes = queue * 4096;
  const Outcome out = run_everywhere(c, make);
  EXPECT_GT(out.counters.trims, 0U);
  EXPECT_EQ(out.counters.timeouts, 0U);
  EXPECT_EQ(out.counters.finished, 2U);
}

constexpr std::uint64_t kLossShare = 70;

TEST(Delivery, WithoutLossAllModesTakeTheSameTime) {
  const auto expect_least = [](Delivery mode, const auto& make) {
    const Case c = two_links(mode);
    const Outcome out = run_everywhere(c, make);
    EXPECT_EQ(out.flows[0].received, (kPacketsOfAFlow - 1) * data_time(c) + data_way(c));
    EXPECT_EQ(out.counters.repeats, 0U);
  };
  expect_least(Delivery::rod, kOrdered);
  expect_least(Delivery::rud, kUnordered);
  expect_least(Delivery::rudi, kUnordered);
  expect_least(Delivery::uud, kUnreliable);
}

/// Go-back-N: the receiver complains when the next packet comes; the sender, which has sent on meanwhile,
/// begins again at the lost one when its port is free.
TEST(Delivery, RodRepeatsEverythingBehindALoss) {
  Case c = two_links(Delivery::rod);
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, kOrdered);
  const Picoseconds complained = (kLossShare + 1) * data_time(c) + data_way(c) + answer_way(c);
  const std::uint64_t sent = complained / data_time(c) + 1;  // one of them is being sent
  EXPECT_EQ(out.counters.corrupted, 1U);
  EXPECT_EQ(out.counters.repeats, sent - kLossShare);
  EXPECT_EQ(out.counters.timeouts, 0U);
  EXPECT_EQ(out.flows[0].received, (sent + kPacketsOfAFlow - 1 - kLossShare) * data_time(c) + data_way(c));
}

/// The last packet has none behind it that would show its loss.
TEST(Delivery, RodWaitsForTheTimeoutOfALostLastPacket) {
  Case c = two_links(Delivery::rod);
  lose_data(c, kPacketsOfAFlow - 1);
  const Outcome out = run_everywhere(c, kOrdered);
  const Picoseconds last_word = (kPacketsOfAFlow - 2) * data_time(c) + data_way(c) + answer_way(c);
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.timeouts, 1U);
  EXPECT_EQ(out.flows[0].received, last_word + TransportSetup::kPatientTimeout + data_way(c));
}

/// A payload that is cut off tells of the gap at once, and what comes behind it adds nothing.
TEST(Delivery, RodComplainsOnceOfManyPayloadsThatWereCut) { expect_complaints(8, kOrdered); }

/// Selective acknowledgements: one packet more.
TEST(Delivery, RudRepeatsWhatIsLostAlone) {
  Case c = two_links(Delivery::rud);
  c.queues.trim = false;  // nobody reports a loss: what overtakes it tells
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, kUnordered);
  EXPECT_EQ(out.counters.corrupted, 1U);
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.timeouts, 0U);
  EXPECT_EQ(out.flows[0].received, kPacketsOfAFlow * data_time(c) + data_way(c));
}

/// Where switches report what they cut, what is overtaken may only be late: not when one and a half windows
/// of what was sent later has arrived.
TEST(Delivery, RudWithReportsRepeatsWhatAWindowAndAHalfHasOvertaken) {
  Case c = two_links(Delivery::rud);
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, kUnordered);
  EXPECT_EQ(out.counters.corrupted, 1U);
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.timeouts, 0U);
  EXPECT_EQ(out.flows[0].received, kPacketsOfAFlow * data_time(c) + data_way(c));
}

/// Where less than that is left to be sent, five packets; with fewer, the packet's own timeout.
TEST(Delivery, RudWithReportsNeedsFivePacketsBehindALossAtTheEnd) {
  Case c = two_links(Delivery::rud);
  lose_data(c, kPacketsOfAFlow - 6);
  const Outcome five = run_everywhere(c, kUnordered);
  const Picoseconds last_word = (kPacketsOfAFlow - 1) * data_time(c) + data_way(c) + answer_way(c);
  EXPECT_EQ(five.counters.repeats, 1U);
  EXPECT_EQ(five.counters.timeouts, 0U);
  EXPECT_EQ(five.flows[0].received, last_word + data_way(c));
  lose_data(c, kPacketsOfAFlow - 5);
  const Outcome four = run_everywhere(c, kUnordered);
  EXPECT_EQ(four.counters.repeats, 1U);
  EXPECT_EQ(four.counters.timeouts, 1U);
  EXPECT_EQ(four.flows[0].received,
            (kPacketsOfAFlow - 5) * data_time(c) + TransportSetup::kPatientTimeout + data_way(c));
}

/// With probes it is found out as soon as one that follows the last word has come back.
TEST(Delivery, RudWithProbesNeedsNoTimeoutForALastPacket) {
  constexpr auto probes = [](const TransportSetup& s) {
    NsccInput input = wide();
    input.probes = true;
    return Acked<Nscc>(s, Nscc(input, s.queues.trim));
  };
  Case c = two_links(Delivery::rud);
  EXPECT_EQ(run_everywhere(c, probes).counters.hops, run_everywhere(c, kUnordered).counters.hops);
  lose_data(c, kPacketsOfAFlow - 1);
  const Outcome out = run_everywhere(c, probes);
  const Picoseconds round_trip = data_way(c) + answer_way(c);
  const Picoseconds last_word = (kPacketsOfAFlow - 2) * data_time(c) + round_trip;
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.timeouts, 0U);
  EXPECT_GT(out.flows[0].received, last_word + round_trip + 2 * answer_way(c) + data_way(c));
  EXPECT_LE(out.flows[0].received, last_word + 2 * round_trip + 2 * answer_way(c) + data_way(c));
}

/// The next answer says that all before it have arrived: nothing is sent twice, whatever tells of losses.
template <class Make>
void expect_no_repeat_of_answered(LoadBalancing balancing, bool trims, const Make& make) {
  Case c = two_links(Delivery::rud);
  c.load_balancing = balancing;
  c.queues.trim = trims;
  lose_answer(c, kLossShare);
  const Outcome out = run_everywhere(c, make);
  EXPECT_GE(out.counters.corrupted, 1U);  // a pull may be behind it
  EXPECT_EQ(out.counters.repeats, 0U);
  EXPECT_EQ(out.counters.timeouts, 0U);
  EXPECT_EQ(out.counters.finished, 1U);
}
TEST(Delivery, RudRepeatsNothingWhereAnAnswerAloneIsLost) {
  constexpr auto prompt = [](const TransportSetup& s) {
    return Acked<PromptNscc>(s, PromptNscc(wide(), s.queues.trim));
  };
  constexpr auto dctcp = [](const TransportSetup& s) { return Acked<Dctcp>(s, Dctcp(DctcpInput{})); };
  for (const bool trims : {true, false}) {
    expect_no_repeat_of_answered(LoadBalancing::spray, trims, kUnordered);
    expect_no_repeat_of_answered(LoadBalancing::spray, trims, prompt);
    expect_no_repeat_of_answered(LoadBalancing::spray, trims, kCredits);
  }
  expect_no_repeat_of_answered(LoadBalancing::ecmp, false, dctcp);
  expect_no_repeat_of_answered(LoadBalancing::ecmp, false, kOrdered);
}

/// Receivers do not know what is missing: the packet's own silence tells its sender.
TEST(Delivery, RudiRepeatsALostPacketAfterItsTimeout) {
  Case c = two_links(Delivery::rudi);
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, kUnordered);
  const Picoseconds again = kLossShare * data_time(c) + TransportSetup::kPatientTimeout;
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.duplicates, 0U);
  EXPECT_EQ(out.flows[0].received, again + data_way(c));
  EXPECT_EQ(out.flows[0].finished, again + data_way(c) + answer_way(c));
}

/// Packets of one window, each silent by itself: the timeout doubles for none of them.
TEST(Delivery, RudiWaitsOnceForAllThatOneWindowLost) {
  constexpr std::uint64_t kLosses = 8;
  Case c = two_links(Delivery::rudi);
  for (std::uint64_t i = 0; i < kLosses; ++i) {
    const Picoseconds time = (kLossShare + 2 * i) * data_time(c) / c.links.delay * c.links.delay;
    const std::uint32_t port = c.layout().port_of_host(0, 0);
    c.faults.push_back({time, port, true});
    c.faults.push_back({time + c.links.delay, port, false});
  }
  const Outcome out = run_everywhere(c, kUnordered);
  EXPECT_EQ(out.counters.repeats, kLosses);
  const Picoseconds last = (kLossShare + 2 * kLosses) * data_time(c);
  EXPECT_LE(out.flows[0].received,
            last + TransportSetup::kPatientTimeout + kLosses * data_time(c) + data_way(c));
}

/// A lost response: the operation is carried out twice, which only idempotent ones allow. With RUD the next
/// response tells of it.
TEST(Delivery, RudiDeliversTwiceWhereAResponseIsLost) {
  Case c = two_links(Delivery::rudi);
  lose_answer(c, kLossShare);
  const Outcome rudi = run_everywhere(c, kUnordered);
  EXPECT_EQ(rudi.counters.corrupted, 1U);
  EXPECT_EQ(rudi.counters.repeats, 1U);
  EXPECT_EQ(rudi.counters.duplicates, 1U);
  EXPECT_EQ(rudi.flows[0].received, (kPacketsOfAFlow - 1) * data_time(c) + data_way(c));
  EXPECT_EQ(rudi.flows[0].finished,
            kLossShare * data_time(c) + TransportSetup::kPatientTimeout + data_way(c) + answer_way(c));
  c.delivery = Delivery::rud;
  const Outcome rud = run_everywhere(c, kUnordered);
  EXPECT_EQ(rud.counters.duplicates, 0U);
  EXPECT_LT(rud.flows[0].finished, 2 * rud.flows[0].received);
}

// The same of credits (RCCC): who may send is the receiver's word, what is sent again is the mode's.

/// The one packet of its own by which a sender asks for credit, when its speculation ends.
Picoseconds request_time(const Case& c) { return c.links.time(64); }

TEST(CreditDelivery, WithoutLossAllModesTakeTheSameTime) {
  for (const Delivery mode : {Delivery::rud, Delivery::rod, Delivery::rudi}) {
    Case c = two_links(mode);
    c.load_balancing = LoadBalancing::ecmp;
    const Outcome out = run_everywhere(c, kCredits);
    EXPECT_EQ(out.flows[0].received, (kPacketsOfAFlow - 1) * data_time(c) + request_time(c) + data_way(c));
    EXPECT_EQ(out.counters.repeats, 0U);
    EXPECT_EQ(out.counters.duplicates, 0U);
  }
}

/// Go-back-N, as RodRepeatsEverythingBehindALoss; what is thrown away takes no more credit than it had.
TEST(CreditDelivery, RodRepeatsEverythingBehindALoss) {
  Case c = two_links(Delivery::rod);
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, kCredits);
  const Picoseconds complained = (kLossShare + 1) * data_time(c) + data_way(c) + answer_way(c);
  const std::uint64_t sent = complained / data_time(c) + 1;
  EXPECT_EQ(out.counters.corrupted, 1U);
  EXPECT_EQ(out.counters.repeats, sent - kLossShare);
  EXPECT_EQ(out.counters.timeouts, 0U);
  EXPECT_EQ(out.flows[0].received,
            (sent + kPacketsOfAFlow - 1 - kLossShare) * data_time(c) + request_time(c) + data_way(c));
}

TEST(CreditDelivery, RodWaitsForTheTimeoutOfALostLastPacket) {
  Case c = two_links(Delivery::rod);
  lose_data(c, kPacketsOfAFlow - 1);
  const Outcome out = run_everywhere(c, kCredits);
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.timeouts, 1U);
}

/// Neither receivers nor switches tell of a packet that a link loses: its own timeout does, and what follows
/// goes on meanwhile.
template <class Make>
void expect_repeat_on_the_way(const Make& make) {
  constexpr std::uint64_t kMany = 8000;  // 2.6 timeouts
  Case c = two_links(Delivery::rud);
  c.flows[0].bytes = kMany * 4096;
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, make);
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.timeouts, 1U);
  EXPECT_LE(out.flows[0].received, (kMany + 20) * data_time(c) + data_way(c));
}
TEST(CreditDelivery, RudRepeatsALostPacketWhileTheFlowGoesOn) { expect_repeat_on_the_way(kCredits); }
TEST(NdpDelivery, RepeatsALostPacketWhileTheFlowGoesOn) { expect_repeat_on_the_way(MakeNdp{}); }

/// A link that is down for the time of half a window: what it loses comes back together, and the window with
/// it.
TEST(NdpDelivery, AWindowOfLossesComesBackWhole) {
  constexpr std::uint64_t kMany = 8000;
  Case c = two_links(Delivery::rud);
  c.flows[0].bytes = kMany * 4096;
  lose_data(c, 100);
  c.faults.back().time += 45 * data_time(c);
  const Outcome out = run_everywhere(c, MakeNdp{});
  EXPECT_GE(out.counters.repeats, 20U);
  EXPECT_LE(out.counters.timeouts, 10U);  // of groups of eight
  EXPECT_LE(out.flows[0].received, TransportSetup::kPatientTimeout + (kMany + 100) * data_time(c));
}

/// A lost last packet waits for the flow's silence.
TEST(NdpDelivery, RepeatsALostLastPacketOnce) {
  Case c = two_links(Delivery::rud);
  c.flows[0].bytes = 40 * 4096;  // a window: no pull comes between
  lose_data(c, 39);
  const Outcome out = run_everywhere(c, MakeNdp{});
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.timeouts, 1U);
  EXPECT_LT(out.flows[0].received, TransportSetup::kPatientTimeout + 50 * data_time(c) + 3 * data_way(c));
}

/// Two senders whose speculation meets at the receiver: a cut payload tells of the gap at once.
TEST(CreditDelivery, RodComplainsOnceOfManyPayloadsThatWereCut) { expect_complaints(1, kCredits); }

/// What a receiver that remembers nothing cannot tell is known after the packet's own timeout.
TEST(CreditDelivery, RudiRepeatsALostPacketAfterItsTimeout) {
  Case c = two_links(Delivery::rudi);
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, kCredits);
  const Picoseconds again = kLossShare * data_time(c) + request_time(c) + TransportSetup::kPatientTimeout;
  EXPECT_EQ(out.counters.repeats, 1U);
  EXPECT_EQ(out.counters.duplicates, 0U);
  EXPECT_EQ(out.flows[0].received, again + data_way(c));
  EXPECT_EQ(out.flows[0].finished, again + data_way(c) + answer_way(c));
}

TEST(CreditDelivery, RudiDeliversTwiceWhereAResponseIsLost) {
  Case c = two_links(Delivery::rudi);
  lose_answer(c, kLossShare);
  const Outcome rudi = run_everywhere(c, kCredits);
  EXPECT_EQ(rudi.counters.corrupted, 2U);  // a pull was behind it, whose credit the next one says
  EXPECT_EQ(rudi.counters.repeats, 1U);
  EXPECT_EQ(rudi.counters.duplicates, 1U);
  EXPECT_LT(rudi.flows[0].received, kPacketsOfAFlow * data_time(c) + request_time(c) + data_way(c));
  EXPECT_EQ(rudi.flows[0].finished, kLossShare * data_time(c) + request_time(c) +
                                        TransportSetup::kPatientTimeout + data_way(c) + answer_way(c));
  c.delivery = Delivery::rud;
  const Outcome rud = run_everywhere(c, kCredits);
  EXPECT_EQ(rud.counters.duplicates, 0U);
  EXPECT_LT(rud.flows[0].finished, 2 * rud.flows[0].received);
}

/// A silent first packet is asked for again, though nothing else is under way.
TEST(CreditDelivery, RodBeginsAgainFromTheFirstPacket) {
  Case c = two_links(Delivery::rod);
  c.flows[0].bytes = 4096;
  lose_data(c, 0);
  EXPECT_EQ(run_everywhere(c, kCredits).counters.finished, 1U);
}

TEST(Delivery, UudLosesThePacketForGood) {
  Case c = two_links(Delivery::uud);
  lose_data(c, kLossShare);
  const Outcome out = run_everywhere(c, kUnreliable);
  EXPECT_EQ(out.lost_bytes, (std::vector<std::uint64_t>{4096}));
  EXPECT_EQ(out.counters.repeats, 0U);
  EXPECT_EQ(out.counters.finished, 1U);
  EXPECT_EQ(out.flows[0].received, (kPacketsOfAFlow - 1) * data_time(c) + data_way(c));
  // Two links for every packet but the one that did not come far.
  EXPECT_EQ(out.counters.hops, 2 * kPacketsOfAFlow - 1);
}

/// Two senders at line rate into one link: the queue of q packets gains one a packet time until it is full;
/// then every second packet is dropped. Whole: P + q of 2 P.
TEST(Delivery, UudLosesWhatALinkCannotCarry) {
  constexpr std::uint64_t kQueue = 8;
  Case c = two_links(Delivery::uud);
  c.flows.push_back({1, 3, kPacketsOfAFlow * 4096, 0});
  c.queues.trim = false;
  c.queues.data_bytes = kQueue * 4096;
  const Outcome out = run_everywhere(c, kUnreliable);
  EXPECT_EQ(out.counters.drops, kPacketsOfAFlow - kQueue);
  EXPECT_EQ(out.lost_bytes[0] + out.lost_bytes[1], (kPacketsOfAFlow - kQueue) * 4096);
  const Picoseconds last = data_way(c) + (kPacketsOfAFlow + kQueue - 1) * data_time(c);
  EXPECT_EQ(std::max(out.flows[0].received, out.flows[1].received), last);
}

TEST(Delivery, UudArrivesByTheProductOfWhatLinksLetThrough) {
  constexpr double kLoss = 1.0 / 64;
  constexpr std::uint64_t kMany = 20'000;
  Case c = two_links(Delivery::uud);
  c.flows[0].bytes = kMany * 4096;
  c.queues.lost_below = std::uint64_t{1} << 58U;
  const Outcome out = run_windows(c, kUnreliable);
  const double expected = 1 - (1 - kLoss) * (1 - kLoss);
  const double deviation = std::sqrt(expected * (1 - expected) / static_cast<double>(kMany));
  EXPECT_NEAR(static_cast<double>(out.lost_bytes[0]) / static_cast<double>(c.flows[0].bytes), expected,
              4 * deviation);
}

/// A plane that is down, as is known, is passed over; without any left the packets are sent, and lost.
TEST(Delivery, UudEndsWhateverIsDown) {
  for (const LoadBalancing choice : {LoadBalancing::spray, LoadBalancing::ecmp}) {
    for (const std::uint32_t down : {1U, 2U}) {
      Case c = two_links(Delivery::uud);
      c.planes = 2;
      c.load_balancing = choice;
      c.faults_known = true;
      for (std::uint32_t plane = 0; plane < down; ++plane)
        c.faults.push_back({0, c.layout().port_of_host(0, plane), true});
      const Outcome out = run_everywhere(c, kUnreliable);
      EXPECT_EQ(out.counters.finished, 1U);
      EXPECT_EQ(out.lost_bytes[0], down == 2 ? kPacketsOfAFlow * 4096 : 0);
    }
  }
}

/// One plane is down, then the other: a long flow goes on by the one that came back, though a short one of
/// the same host has ended in between.
TEST(Delivery, UudFindsAPlaneThatIsUpAgainBesideAFlowThatEnded) {
  Case c = two_links(Delivery::uud);
  c.flows.push_back({0, 2, 4096, 0});
  c.planes = 2;
  c.faults_known = true;
  const Picoseconds change = kPacketsOfAFlow / 4 * data_time(c) / c.links.delay * c.links.delay;
  const auto port = [&](std::uint32_t plane) { return c.layout().port_of_host(0, plane); };
  c.faults = {{0, port(0), true}, {change, port(0), false}, {change, port(1), true}};
  const Outcome out = run_everywhere(c, kUnreliable);
  EXPECT_EQ(out.counters.finished, 2U);
  EXPECT_LE(out.lost_bytes[0], 4096U);
  EXPECT_EQ(out.lost_bytes[1], 0U);
}

TEST(Delivery, UudCountsEveryByteWhateverIsLost) {
  EXPECT_TRUE(rc::check([] {
    Case c = random_case();
    if (*rc::gen::inRange(0, 4) == 0) add_tiers(c);
    add_delivery(c, Delivery::uud);
    if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
    if (*rc::gen::inRange(0, 3) == 0) add_pauses(c);
    if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
    const Outcome windows = run_windows(c, kUnreliable);
    expect_same(windows, run_reference(c, kUnreliable));
    c.threads = 2;
    expect_same(windows, run_windows(c, kUnreliable));
    RC_ASSERT(windows.counters.finished == c.flows.size());
    RC_ASSERT(windows.counters.repeats == 0U);
    const Counters& counters = windows.counters;
    const bool whole = counters.drops + counters.trims + counters.corrupted == 0U;
    for (std::size_t f = 0; f < c.flows.size(); ++f) {
      const std::uint64_t lost = windows.lost_bytes[f];
      RC_ASSERT(lost <= c.flows[f].bytes);
      RC_ASSERT(!whole || lost == 0U);
      RC_ASSERT((windows.flows[f].received == kNever) == (lost == c.flows[f].bytes));
    }
  }));
}

}  // namespace
}  // namespace trainyard::packet
