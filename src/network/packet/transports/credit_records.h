// What transports by receivers' credit (credits.h) remember of flows and hosts, and what they send.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "network/packet/fifo.h"
#include "network/packet/packet.h"
#include "network/packet/sequence_set.h"
#include "network/packet/transports/credit_rate.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/sent_times.h"
#include "network/packet/transports/transport_setup.h"
#include "network/wiring/paths.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard::packet {

/// Credit is counted in parts of a packet, as UE counts 256 bytes: the share of a flow that asks for little
/// may be less than one. What one end has counted since the flow began may wrap.
using Credit = std::int32_t;
inline constexpr Credit kCreditOfPacket = 16;
inline constexpr std::uint32_t kMostWindowPackets = 1U << 25U;  // twice of which can be counted
inline Credit credit_of(std::uint32_t packets) { return static_cast<Credit>(packets) * kCreditOfPacket; }
inline std::uint32_t after(std::uint32_t credited, Credit more) {
  return credited + static_cast<std::uint32_t>(more);
}
inline Credit credit_between(std::uint32_t earlier, std::uint32_t later) {
  return static_cast<Credit>(later - earlier);
}

struct CreditRules {
  std::uint32_t window_packets = 50;  // of speculation, and of credit asked for at most
  std::uint32_t packets_per_pull = 1;
  double rate = 0.99;  // of the receiver's link
  CreditRateRules slowing = {};
  /// Flows with packets to repeat are given credit before others, and senders ask at once where credit that
  /// they had ends: csg-htsim's EQDS. Else receivers' turns alone decide, as in uet-htsim.
  bool repeats_first = true;
  bool shared_requests = false;  // by the flows of a host that wait to send
};

struct CreditPacket : Packet {
  static constexpr bool kAsks = true;           // pulls go to receivers as well
  static constexpr std::uint8_t kAnswer = 1;    // mark of data: acknowledge at once
  static constexpr std::uint32_t kBefore = 63;  // that an acknowledgement tells of beside its own

  /// Acknowledgements: packet sequence - kBefore + i has arrived. Data that asks for an answer: the first
  /// packet that has not been sent yet.
  std::uint64_t received_bits = 0;
  /// Of acknowledgements: all before it have arrived. Of data: its way (Paths::choose).
  std::uint32_t cumulative = 0;
  /// Of data and requests: credit wanted since the flow began. Of acknowledgements and reports: the way of
  /// the data, kNoWay where it is not to be judged.
  std::uint32_t target = 0;
  static constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

  /// Data: an answer at once, also to what was sent before, a repeat's later sequences included.
  void ask_for_all_before(std::uint32_t next) {
    marks = kAnswer;
    received_bits = next;
  }
  std::uint32_t asked_before() const { return static_cast<std::uint32_t>(received_bits); }

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<Packet&>(*this), received_bits, cumulative, target);
  }
};
static_assert(sizeof(CreditPacket) == 48);

struct CreditSender {
  SequenceSet acknowledged;
  SentTimes sent;  // reliable in any order
  Fifo<std::uint32_t> repeats;
  std::uint32_t packets = 0;
  std::uint32_t next = 0;
  std::uint32_t count = 0;    // acknowledged
  Credit credit = 0;          // sends while it is more than 0
  std::uint32_t granted = 0;  // by the receiver since the flow began
  bool speculates = true;
  bool listed = false;
  bool timed = false;             // its timeout has an entry in the timers
  Picoseconds deadline = kNever;  // of the flow's silence; kNever: not begun, or done
  Paths::State paths;

  bool has_data() const { return !repeats.empty() || next < packets; }

  std::size_t bytes() const { return acknowledged.bytes() + sent.bytes() + repeats.bytes(); }
  template <class Archive>
  void serialize(Archive& a) {
    a(acknowledged, sent, repeats, packets, next, count, credit, granted, speculates, listed, timed, deadline,
      paths);
  }

  /// Sends what is not known to have arrived once more, in order; how many packets that are.
  std::uint32_t go_back();
};
// Two lines of the cache, found by a shift.
static_assert(sizeof(CreditSender) == 128);

struct CreditReceiver {
  SequenceSet received;
  std::uint32_t count = 0;
  std::uint32_t expected = 0;
  std::uint32_t unanswered = 0;  // packets since the last acknowledgement
  std::uint32_t latest = 0;      // the highest sequence among them
  std::uint32_t asked = 0;       // an answer has been asked for with the packet before this one, or earlier
  std::uint32_t granted = 0;
  std::uint32_t target = 0;
  Credit owed = 0;          // for packets to be repeated
  bool waits = false;       // in a list of those that want credit
  bool rests = false;       // in the list of those that are given it ahead
  bool complained = false;  // of the gap that it waits for
  Paths::State paths;

  std::size_t bytes() const { return received.bytes(); }
  Credit wanted() const { return owed + std::max(credit_between(granted, target), 0); }
  void ask_for(std::uint32_t credited) {
    if (credit_between(target, credited) > 0) target = credited;
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(received, count, expected, unanswered, latest, asked, granted, target, owed, waits, rests, complained,
      paths);
  }
};

struct CreditHost {
  Fifo<std::uint32_t> repeating;  // flows that wait for credit, first those that lost packets
  Fifo<std::uint32_t> active;
  Fifo<std::uint32_t> resting;  // flows that want none for now
  Picoseconds next_pull = 0;
  CreditRate rate;
  Timers timeouts;

  /// Fetches what a window of it reads first.
  void prefetch() const {
    active.prefetch();
    resting.prefetch();
    timeouts.prefetch();
  }
  /// The next pull or timeout.
  Picoseconds next_wake(Picoseconds now) const {
    const bool pulls = !repeating.empty() || !active.empty() || !resting.empty();
    return std::min(pulls ? std::max(next_pull, now) : kNever, timeouts.next());
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(repeating, active, resting, next_pull, rate, timeouts);
  }
};

/// Both ends, and what they have agreed on.
struct CreditEnds : Ends<CreditSender, CreditReceiver, CreditHost> {
  CreditEnds(const TransportSetup& setup, const CreditRules& agreed)
      : Ends(setup), rules(agreed), delivery(setup.delivery) {
    rules.window_packets = std::min(rules.window_packets, kMostWindowPackets);
  }

  bool in_order() const { return delivery == Delivery::rod; }
  bool forgets() const { return delivery == Delivery::rudi; }
  bool in_any_order() const { return delivery == Delivery::rud; }

  template <class Context>
  void plan_wake(Context& context) const {
    context.wake_at(hosts[context.host()].next_wake(context.now()));
  }

  CreditRules rules;
  Delivery delivery;
};

}  // namespace trainyard::packet
