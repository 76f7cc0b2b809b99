// Transports whose receivers hand out credit at the rate of their links: EQDS (Olteanu et al. 2022) and Ultra
// Ethernet's RCCC.
//
// A sender sends its first window on speculation; it tells in every packet how much credit it could use. A
// receiver grants it in turn over its flows, first to those that have packets to repeat; where none wants
// any, it goes on with those that have not ended, up to a window ahead of what they asked for, so that a
// sender whose speculation ends has credit already. Headers of packets that a switch cut are reported at
// once. Acknowledgements cover several packets.
//
// In order alone (UE 1.0, ROD) a receiver throws away what comes behind a gap and complains once of each; the
// sender goes back to it, and asks for the credit once more. Receivers that remember no packets (RUDI) keep
// account of credit alone.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "network/packet/sequence_set.h"
#include "network/packet/transports/credit_rate.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/silences.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

struct CreditRules {
  std::uint32_t window_packets = 50;  // of speculation, and of credit asked for at most
  std::uint32_t packets_per_pull = 1;
  double rate = 0.99;  // of the receiver's link
  CreditRateRules slowing = {};
};

struct CreditPacket : Packet {
  static constexpr bool kAsks = true;  // pulls go to receivers as well

  std::uint64_t received_bits = 0;  // acknowledgements: packet sequence - 63 + i has arrived
  std::uint32_t cumulative = 0;     // acknowledgements: all before it have arrived
  std::uint32_t target = 0;         // data: credit wanted since the flow began

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<Packet&>(*this), received_bits, cumulative, target);
  }
};
static_assert(sizeof(CreditPacket) == 48);

class Credits {
 public:
  using Packet = CreditPacket;
  static constexpr std::uint8_t kAnswer = 1;  // mark of data: acknowledge at once

  Credits(const TransportSetup& setup, const CreditRules& rules);

  template <class Context>
  void start(Context& context, std::uint32_t flow);
  template <class Context>
  void receive(Context& context, const Packet& packet);
  template <class Context>
  void wake(Context& context);
  template <class Context>
  bool offer(Context& context, Packet& out);

  std::size_t bytes() const { return ends_.bytes() + silences_.bytes(); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a, turns_);
    a(silences_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    const std::uint32_t packets = ends_.packets.count(packet.flow);
    return packet.cumulative <= packets && (packet.kind == PacketKind::pull || packet.sequence < packets);
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    flow = ends_.messages.connection(flow);
    sample.received_bytes = ends_.payload_bytes(flow, ends_.receivers[flow].count);
  }

 private:
  static constexpr std::uint32_t kPacketsPerAck = 4;  // unless somebody says otherwise; htsim: 16,384 bytes
  static constexpr std::uint32_t kBefore = 63;        // that an acknowledgement tells of beside its own

  struct Sender {
    SequenceSet acknowledged;
    std::deque<std::uint32_t> repeats;
    std::uint32_t packets = 0;
    std::uint32_t next = 0;
    std::uint32_t count = 0;       // acknowledged
    std::uint32_t cumulative = 0;  // all before it are
    std::uint32_t credit = 0;
    std::uint32_t granted = 0;  // by the receiver since the flow began
    bool speculates = true;
    bool listed = false;
    bool timed = false;  // its timeout has an entry in the timers
    Picoseconds deadline = kNever;
    Paths::State paths;

    std::size_t bytes() const { return acknowledged.bytes() + repeats.size() * sizeof(std::uint32_t); }
    template <class Archive>
    void serialize(Archive& a) {
      a(acknowledged, repeats, packets, next, count, cumulative, credit, granted, speculates, listed, timed,
        deadline, paths);
    }
  };
  struct Receiver {
    SequenceSet received;
    std::uint32_t count = 0;
    std::uint32_t expected = 0;
    std::uint32_t unanswered = 0;  // packets since the last acknowledgement
    std::uint32_t granted = 0;
    std::uint32_t target = 0;
    std::uint32_t owed = 0;   // credit for packets to be repeated
    bool waits = false;       // in a list of those that want credit
    bool rests = false;       // in the list of those that are given it ahead
    bool complained = false;  // of the gap that it waits for
    Paths::State paths;

    std::size_t bytes() const { return received.bytes(); }
    std::uint32_t wanted() const { return owed + (target > granted ? target - granted : 0); }

    template <class Archive>
    void serialize(Archive& a) {
      a(received, count, expected, unanswered, granted, target, owed, waits, rests, complained, paths);
    }
  };
  struct Host {
    std::deque<std::uint32_t> repeating;  // flows that wait for credit, first those that lost packets
    std::deque<std::uint32_t> active;
    std::deque<std::uint32_t> resting;  // flows that want none for now
    Picoseconds next_pull = 0;
    CreditRate rate;
    Timers timeouts;

    template <class Archive>
    void serialize(Archive& a) {
      a(repeating, active, resting, next_pull, rate, timeouts);
    }
  };

  template <class Context>
  void list(Context& context, std::uint32_t flow);
  template <class Context>
  void feed(Context& context, std::uint32_t flow);
  template <class Context>
  void take_data(Context& context, const Packet& packet);
  template <class Context>
  void take_header(Context& context, const Packet& packet);
  template <class Context>
  void skip(Context& context, const Packet& packet);
  template <class Context>
  void missed(Context& context, const Packet& packet);
  template <class Context>
  void set_deadline(Context& context, std::uint32_t flow);
  template <class Context>
  void request(Context& context, std::uint32_t flow);
  template <class Context>
  void take_request(Context& context, const Packet& packet);
  template <class Context>
  void want(Context& context, std::uint32_t flow);
  template <class Context>
  void report(Context& context, const Packet& packet, PacketKind kind);
  template <class Context>
  void acknowledged(Context& context, const Packet& packet);
  template <class Context>
  void grant(Context& context, Host& host);
  template <class Context>
  void grant_ahead(Context& context, Host& host);
  template <class Context>
  void pull(Context& context, std::uint32_t flow, std::uint32_t packets);
  template <class Context>
  void rest(Context& context, std::uint32_t flow);
  template <class Context>
  void time_out(Context& context, std::uint32_t flow);
  template <class Context>
  void plan_wake(Context& context);
  template <class Context>
  void settle(Context& context, std::uint32_t flow, std::uint32_t sequence);
  std::uint32_t lose_what_is_under_way(Sender& sender) const;
  std::uint32_t go_back(Sender& sender) const;
  template <class Context>
  std::uint32_t lose(Context& context, std::uint32_t flow);
  bool in_order() const { return delivery_ == Delivery::rod; }
  bool forgets() const { return delivery_ == Delivery::rudi; }
  bool slows() const { return rules_.slowing.least < 1; }
  /// From a pull of so many packets to the next.
  Picoseconds gap(std::uint32_t packets, std::uint32_t host) const {
    const Picoseconds whole = packets * credit_time_.of(host);
    return slows() ? static_cast<Picoseconds>(static_cast<double>(whole) / ends_.hosts[host].rate.share())
                   : whole;
  }
  template <class Context>
  void took_whole(Context& context, const Packet& packet) {
    CreditRate& rate = ends_.hosts[context.host()].rate;
    rate.decide(context.now(), context.host(), rules_.slowing);
    rate.arrived(packet.congested());
  }
  template <class Context>
  void took_cut(Context& context, const Packet& packet) {
    CreditRate& rate = ends_.hosts[context.host()].rate;
    rate.decide(context.now(), context.host(), rules_.slowing);
    (packet.marks & Packet::kCutAtEnd) != 0 ? rate.cut_at_the_end() : rate.cut_inside();
  }

  CreditRules rules_;
  Delivery delivery_;
  std::uint32_t packets_per_ack_;
  Picoseconds timeout_;
  CreditGap credit_time_;  // of one packet
  Ends<Sender, Receiver, Host> ends_;
  Turns turns_;
  Silences silences_;  // of the packets of senders whose receivers remember none
};

template <class Context>
void Credits::start(Context& context, std::uint32_t message) {
  const std::uint32_t flow = ends_.messages.connection(message);
  Sender& sender = ends_.senders[flow];
  if (message == flow) sender.credit = rules_.window_packets;
  if (ends_.messages.any()) sender.packets = ends_.messages.begun(flow);
  if (sender.count == sender.packets) return;  // it waits for those before it
  const bool idle = sender.deadline == kNever;
  if (idle) sender.deadline = context.now() + timeout_;
  if (!sender.timed) ends_.hosts[context.host()].timeouts.add(sender.deadline, flow);
  sender.timed = true;
  if (idle && sender.credit == 0) request(context, flow);
  list(context, flow);
  plan_wake(context);
}

template <class Context>
void Credits::list(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  if (sender.listed || sender.credit == 0) return;
  if (sender.repeats.empty() && sender.next == sender.packets) return;
  sender.listed = true;
  turns_.add(context.host(), ends_.paths.plane_of(flow, false), flow);
  context.ready();
}

template <class Context>
bool Credits::offer(Context& context, Packet& out) {
  const auto usable = ends_.paths.usable(context.plane());
  return turns_.serve(context.host(), context.plane(), usable, [&](std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    sender.listed = false;
    if (sender.credit == 0 || (sender.repeats.empty() && sender.next == sender.packets)) return false;
    const bool again = !sender.repeats.empty();
    const std::uint32_t sequence = again ? sender.repeats.front() : sender.next++;
    if (again) sender.repeats.pop_front();
    forget_repeats(sender.repeats, sender.acknowledged);
    --sender.credit;
    out = ends_.packets.data<Packet>(flow, sequence);
    const std::uint32_t left = std::min(sender.packets - sender.next, rules_.window_packets);
    // Below what is granted where there is more credit than use for it.
    out.target = std::max(sender.granted + left, sender.credit) - sender.credit;
    if (again || left == 0 || sender.credit == 0) out.marks = kAnswer;
    if (forgets()) silences_.sent(flow, sequence, context.now());
    ends_.paths.choose(out, context.host(), context.plane(), false, context.now(), sender.paths);
    list(context, flow);
    return true;
  });
}

template <class Context>
void Credits::receive(Context& context, const Packet& packet) {
  Sender& sender = ends_.senders[packet.flow];
  switch (packet.kind) {
    case PacketKind::data:
      return take_data(context, packet);
    case PacketKind::header:
      return take_header(context, packet);
    case PacketKind::ack:
      return acknowledged(context, packet);
    case PacketKind::nack:
      return missed(context, packet);
    case PacketKind::pull:
      if (context.host() == ends_.flows[packet.flow].to) return take_request(context, packet);
      feed(context, packet.flow);
      if (packet.sequence <= sender.granted) return;
      sender.credit = std::min(sender.credit + packet.sequence - sender.granted, 2 * rules_.window_packets);
      sender.granted = packet.sequence;
      break;
    case PacketKind::pause:
      return;
  }
  list(context, packet.flow);
}

/// A switch cut a payload off.
template <class Context>
void Credits::take_header(Context& context, const Packet& packet) {
  Receiver& receiver = ends_.receivers[packet.flow];
  if (slows()) took_cut(context, packet);
  if (in_order()) {
    if (packet.sequence < receiver.expected) return report(context, packet, PacketKind::ack);
    if (packet.sequence > receiver.expected) return skip(context, packet);
    receiver.complained = true;  // of this repeat, whatever was said of the gap before
    return report(context, packet, PacketKind::nack);
  }
  ++receiver.owed;
  want(context, packet.flow);
  report(context, packet, PacketKind::nack);
}

/// Behind a gap, in order alone: says once that something is missing.
template <class Context>
void Credits::skip(Context& context, const Packet& packet) {
  Receiver& receiver = ends_.receivers[packet.flow];
  if (receiver.complained) return;
  receiver.complained = true;
  report(context, packet, PacketKind::nack);
}

/// Something has not arrived, or not whole.
template <class Context>
void Credits::missed(Context& context, const Packet& packet) {
  Sender& sender = ends_.senders[packet.flow];
  if (forgets()) silences_.answered(packet.flow, packet.sequence);
  feed(context, packet.flow);
  if (sender.deadline == kNever) return;
  if (in_order()) {
    if (packet.cumulative < sender.cumulative) return;
    for (; sender.cumulative < packet.cumulative; ++sender.cumulative)
      settle(context, packet.flow, sender.cumulative);
    context.counters().repeats += go_back(sender);
    if (sender.credit == 0) request(context, packet.flow);
  } else {
    if (sender.acknowledged.has(packet.sequence)) return;
    sender.repeats.push_back(packet.sequence);
    ++context.counters().repeats;
    if (sender.credit == 0 && sender.next == sender.packets) request(context, packet.flow);
  }
  list(context, packet.flow);
}

/// From the last word on, or, where receivers do not say what is missing, from each packet's sending.
template <class Context>
void Credits::set_deadline(Context& context, std::uint32_t flow) {
  ends_.senders[flow].deadline =
      forgets() ? silences_.deadline(flow, context.now()) : context.now() + timeout_;
}

/// Word has come: speculation is over.
template <class Context>
void Credits::feed(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  if (sender.deadline != kNever) set_deadline(context, flow);
  if (!sender.speculates) return;
  sender.speculates = false;
  const bool cut_short = sender.credit > 0 && sender.next < sender.packets;
  sender.credit = 0;
  if (cut_short) request(context, flow);  // what was sent asked for nothing in place of this credit
}

template <class Context>
void Credits::take_data(Context& context, const Packet& packet) {
  Receiver& receiver = ends_.receivers[packet.flow];
  if (slows()) took_whole(context, packet);
  const bool skips = in_order() && packet.sequence > receiver.expected;
  const bool fresh = !skips && receiver.received.add(packet.sequence);
  bool complete = false;
  if (fresh) {
    receiver.complained = false;
    receiver.expected = receiver.received.first_missing(receiver.expected);
    complete = ends_.arrived(context, packet.flow, packet.sequence, ++receiver.count);
  } else if (forgets()) {
    ++context.counters().duplicates;
  }
  receiver.target = std::max(receiver.target, packet.target);
  want(context, packet.flow);
  rest(context, packet.flow);
  if (skips) return skip(context, packet);
  ++receiver.unanswered;
  const bool now =
      !fresh || packet.congested() || (packet.marks & kAnswer) != 0 || receiver.count == 1 || complete;
  if (now || receiver.unanswered >= packets_per_ack_) report(context, packet, PacketKind::ack);
}

/// A packet of its own that asks for credit, where no data can: the credit for a repeat may have come, and
/// been spent, before the report that it is needed; speculation may have ended before it was of use.
template <class Context>
void Credits::request(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  Packet out = ends_.packets.control<Packet>(flow, PacketKind::pull, 0, false);
  const auto repeats = static_cast<std::uint32_t>(sender.repeats.size());
  out.target = sender.granted + std::min(sender.packets - sender.next + repeats, rules_.window_packets);
  send_at_once(context, ends_.paths, out, false, sender.paths);
}

template <class Context>
void Credits::take_request(Context& context, const Packet& packet) {
  Receiver& receiver = ends_.receivers[packet.flow];
  // What is asked for again is partly owed already.
  receiver.target = std::max(receiver.target, packet.target - std::min(packet.target, receiver.owed));
  want(context, packet.flow);
  if (receiver.waits) return;
  receiver.owed = 1;  // pulls may have been lost: one more says their sum
  want(context, packet.flow);
}

/// Puts a flow that wants credit into the pacer's lists.
template <class Context>
void Credits::want(Context& context, std::uint32_t flow) {
  Receiver& receiver = ends_.receivers[flow];
  if (receiver.waits || receiver.wanted() == 0) return;
  receiver.waits = true;
  Host& host = ends_.hosts[context.host()];
  (receiver.owed > 0 ? host.repeating : host.active).push_back(flow);
  plan_wake(context);
}

template <class Context>
void Credits::report(Context& context, const Packet& packet, PacketKind kind) {
  Receiver& receiver = ends_.receivers[packet.flow];
  Packet out = ends_.packets.control<Packet>(packet.flow, kind, packet.sequence, true);
  out.marks = packet.marks & Packet::kCongested;
  out.up_leaf = packet.up_leaf;
  out.up_aggregation = packet.up_aggregation;
  if (in_order() || (kind == PacketKind::ack && !forgets())) out.cumulative = receiver.expected;
  if (kind == PacketKind::ack) {
    receiver.unanswered = 0;
    out.received_bits =
        forgets() ? std::uint64_t{1} << kBefore : receiver.received.around(packet.sequence, kBefore);
  }
  send_at_once(context, ends_.paths, out, true, receiver.paths);
}

template <class Context>
void Credits::acknowledged(Context& context, const Packet& packet) {
  Sender& sender = ends_.senders[packet.flow];
  if (sender.deadline == kNever) return;
  if (forgets()) silences_.answered(packet.flow, packet.sequence);
  const std::uint32_t known = sender.count;
  feed(context, packet.flow);
  for (; sender.cumulative < packet.cumulative; ++sender.cumulative)
    settle(context, packet.flow, sender.cumulative);
  std::uint64_t news = packet.received_bits & ~sender.acknowledged.around(packet.sequence, kBefore);
  if (packet.sequence < kBefore) news &= ~std::uint64_t{0} << (kBefore - packet.sequence);
  while (news != 0) {  // from the latest on
    const auto before = static_cast<std::uint32_t>(std::countl_zero(news));
    news &= ~(std::uint64_t{1} << (kBefore - before));
    settle(context, packet.flow, packet.sequence - before);
  }
  forget_repeats(sender.repeats, sender.acknowledged);
  if (in_order()) sender.next = std::max(sender.next, sender.cumulative);  // a timeout came too soon
  if (forgets() && sender.count > known) silences_.arrived(packet.flow);
  if (sender.count < sender.packets) return list(context, packet.flow);
  sender.deadline = kNever;
  ends_.finished(context, packet.flow);
}

template <class Context>
void Credits::settle(Context& context, std::uint32_t flow, std::uint32_t sequence) {
  Sender& sender = ends_.senders[flow];
  if (!sender.acknowledged.add(sequence)) return;
  ++sender.count;
  ends_.known(context, flow, sequence);
}

template <class Context>
void Credits::wake(Context& context) {
  Host& host = ends_.hosts[context.host()];
  if (host.next_pull <= context.now()) grant(context, host);
  host.timeouts.run(
      context.now(), [&](std::uint32_t flow) { return ends_.senders[flow].deadline; },
      [&](std::uint32_t flow) { time_out(context, flow); },
      [&](std::uint32_t flow) { ends_.senders[flow].timed = false; });
  plan_wake(context);
}

/// Puts a flow that wants no credit, and has not ended, into the list of those that are given some ahead.
template <class Context>
void Credits::rest(Context& context, std::uint32_t flow) {
  Receiver& receiver = ends_.receivers[flow];
  const bool ended = receiver.count == ends_.packets.count(flow) && !forgets();
  if (ended || receiver.waits || receiver.rests) return;
  if (receiver.granted >= receiver.target + rules_.window_packets) return;
  receiver.rests = true;
  ends_.hosts[context.host()].resting.push_back(flow);
  plan_wake(context);
}

template <class Context>
void Credits::pull(Context& context, std::uint32_t flow, std::uint32_t packets) {
  Receiver& receiver = ends_.receivers[flow];
  receiver.granted += packets;
  Host& host = ends_.hosts[context.host()];
  host.next_pull = context.now() + gap(packets, context.host());
  const Packet out = ends_.packets.control<Packet>(flow, PacketKind::pull, receiver.granted, true);
  send_at_once(context, ends_.paths, out, true, receiver.paths);
}

/// One pull, to the next flow of those that do not want any.
template <class Context>
void Credits::grant_ahead(Context& context, Host& host) {
  while (!host.resting.empty()) {
    const std::uint32_t flow = host.resting.front();
    host.resting.pop_front();
    Receiver& receiver = ends_.receivers[flow];
    receiver.rests = false;
    if (receiver.waits || (receiver.count == ends_.packets.count(flow) && !forgets())) continue;
    pull(context, flow, rules_.packets_per_pull);
    return rest(context, flow);
  }
}

/// One pull, to the next flow of the first list that is not empty.
template <class Context>
void Credits::grant(Context& context, Host& host) {
  std::deque<std::uint32_t>& flows = host.repeating.empty() ? host.active : host.repeating;
  if (flows.empty()) return grant_ahead(context, host);
  const std::uint32_t flow = flows.front();
  flows.pop_front();
  Receiver& receiver = ends_.receivers[flow];
  const std::uint32_t packets = std::min(rules_.packets_per_pull, receiver.wanted());
  const std::uint32_t owed = std::min(receiver.owed, packets);
  receiver.owed -= owed;
  receiver.target += owed;  // what is repeated was not part of it
  receiver.waits = false;
  pull(context, flow, packets);
  want(context, flow);
  rest(context, flow);
}

/// After silence what is under way counts as lost. A flow that has nothing under way waits for its turn; it
/// asks again, since what it asked for, or was granted, may have been lost.
template <class Context>
void Credits::time_out(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  set_deadline(context, flow);
  if (forgets() && silences_.any(flow) && sender.deadline > context.now()) return;
  sender.listed = false;  // it may wait for a plane that is down
  if (sender.next == 0 && sender.speculates) return list(context, flow);  // or for its turn
  if (const std::uint32_t lost = lose(context, flow); lost > 0) {
    ++context.counters().timeouts;
    context.counters().repeats += lost;
    ends_.paths.timed_out(flow, sender.deadline);
  }
  if (sender.speculates) sender.credit = 0;
  sender.speculates = false;
  if (sender.credit == 0 || (forgets() && sender.credit < sender.repeats.size())) request(context, flow);
  list(context, flow);
}

/// Takes for lost what a timeout says is; how many packets that are.
template <class Context>
std::uint32_t Credits::lose(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  if (in_order()) return go_back(sender);
  if (!forgets()) return lose_what_is_under_way(sender);
  std::uint32_t lost = 0;
  silences_.lose(flow, context.now(), [&](std::uint32_t sequence) {
    if (sender.acknowledged.has(sequence)) return;
    sender.repeats.push_back(sequence);
    ++lost;
  });
  set_deadline(context, flow);
  return lost;
}

template <class Context>
void Credits::plan_wake(Context& context) {
  const Host& host = ends_.hosts[context.host()];
  const bool pulls = !host.repeating.empty() || !host.active.empty() || !host.resting.empty();
  context.wake_at(std::min(pulls ? std::max(host.next_pull, context.now()) : kNever, host.timeouts.next()));
}

/// Runs the engine with them.
RunOutcome run_credits(const TransportSetup& setup, Credits& transport, const WindowTick& tick);

}  // namespace trainyard::packet
