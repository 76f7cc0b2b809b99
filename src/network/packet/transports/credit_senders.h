// What senders do with the credit of their receivers: a first window on speculation, then a packet for each
// credit, repeats first; they ask for credit where no data does.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "network/packet/transports/credit_records.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/silences.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class CreditSenders {
 public:
  CreditSenders(const TransportSetup& setup, CreditEnds& ends);

  template <class Context>
  void start(Context& context, std::uint32_t message);
  template <class Context>
  bool offer(Context& context, CreditPacket& out);
  /// A receiver's pull.
  template <class Context>
  void take_credit(Context& context, const CreditPacket& packet);
  template <class Context>
  void acknowledged(Context& context, const CreditPacket& packet);
  /// Something has not arrived, or not whole.
  template <class Context>
  void missed(Context& context, const CreditPacket& packet);
  /// Timeouts.
  template <class Context>
  void wake(Context& context);

  std::size_t bytes() const { return silences_.bytes(); }
  // For checkpoints.
  Turns& turns() { return turns_; }
  const Turns& turns() const { return turns_; }
  Silences& silences() { return silences_; }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;

 private:
  template <class Context>
  void list(Context& context, std::uint32_t flow);
  template <class Context>
  void feed(Context& context, std::uint32_t flow, bool heard = true);
  template <class Context>
  void set_deadline(Context& context, std::uint32_t flow);
  template <class Context>
  void request(Context& context, std::uint32_t flow);
  template <class Context>
  void settle(Context& context, std::uint32_t flow, std::uint32_t sequence);
  template <class Context>
  void settle_before(Context& context, std::uint32_t flow, std::uint32_t end);
  template <class Context>
  void time_out(Context& context, std::uint32_t flow);
  template <class Context>
  std::uint32_t lose(Context& context, std::uint32_t flow, bool silent);
  Picoseconds due(std::uint32_t flow);
  std::uint32_t wanted(const CreditSender& sender, std::uint32_t flows) const;
  static void note_sent(CreditSender& sender, std::uint32_t sequence, bool again, Picoseconds now) {
    if (again) return sender.sent.add_repeat(now, sequence, sender.acknowledged);
    sender.sent.add_new(now, sequence, sender.acknowledged);
  }

  Picoseconds timeout_;
  CreditEnds& ends_;
  Turns turns_;
  Silences silences_;  // of the packets of senders whose receivers remember none
};

template <class Context>
void CreditSenders::start(Context& context, std::uint32_t message) {
  const std::uint32_t flow = ends_.messages.connection(message);
  CreditSender& sender = ends_.senders[flow];
  if (message == flow) sender.credit = credit_of(ends_.rules.window_packets);
  if (ends_.messages.any()) sender.packets = ends_.messages.begun(flow);
  if (sender.count == sender.packets) return;  // it waits for those before it
  const bool idle = sender.deadline == kNever;
  if (idle) sender.deadline = context.now() + timeout_;
  if (!sender.timed) ends_.hosts[context.host()].timeouts.add(sender.deadline, flow);
  sender.timed = true;
  if (idle && sender.credit <= 0) request(context, flow);
  list(context, flow);
  ends_.plan_wake(context);
}

template <class Context>
void CreditSenders::list(Context& context, std::uint32_t flow) {
  CreditSender& sender = ends_.senders[flow];
  if (sender.listed || sender.credit <= 0 || !sender.has_data()) return;
  sender.listed = true;
  turns_.add(context.host(), ends_.paths.plane_of(flow, false), flow);
  context.ready();
}

template <class Context>
bool CreditSenders::offer(Context& context, CreditPacket& out) {
  const auto usable = ends_.paths.usable(context.plane());
  return turns_.serve(context.host(), context.plane(), usable, [&](std::uint32_t flow) {
    CreditSender& sender = ends_.senders[flow];
    sender.listed = false;
    if (sender.credit <= 0 || !sender.has_data()) return false;
    const bool again = !sender.repeats.empty();
    const std::uint32_t sequence = again ? sender.repeats.front() : sender.next++;
    if (again) sender.repeats.pop_front();
    forget_repeats(sender.repeats, sender.acknowledged);
    sender.credit -= kCreditOfPacket;
    out = ends_.packets.data<CreditPacket>(flow, sequence);
    out.target = wanted(sender, turns_.waiting(context.host(), context.plane()) + 1);
    if (again || sender.next == sender.packets || sender.credit <= 0) out.ask_for_all_before(sender.next);
    if (ends_.in_any_order()) note_sent(sender, sequence, again, context.now());
    if (ends_.forgets()) silences_.sent(flow, sequence, context.now());
    set_deadline(context, flow);
    out.cumulative =
        ends_.paths.choose(out, context.host(), context.plane(), false, context.now(), sender.paths);
    list(context, flow);
    return true;
  });
}

template <class Context>
void CreditSenders::take_credit(Context& context, const CreditPacket& packet) {
  CreditSender& sender = ends_.senders[packet.flow];
  feed(context, packet.flow, sender.has_data());  // credit ahead says nothing of the packets under way
  const Credit more = credit_between(sender.granted, packet.sequence);
  if (more <= 0) return;
  sender.credit = std::min(sender.credit + more,
                           credit_of((ends_.rules.repeats_first ? 2 : 1) * ends_.rules.window_packets));
  sender.granted = packet.sequence;
  list(context, packet.flow);
}

template <class Context>
void CreditSenders::missed(Context& context, const CreditPacket& packet) {
  CreditSender& sender = ends_.senders[packet.flow];
  if (ends_.forgets()) silences_.answered(packet.flow, packet.sequence);
  feed(context, packet.flow);
  if (sender.deadline == kNever) return;
  judge_way_of_cut(ends_.paths, packet, packet.target);
  if (ends_.in_order()) {
    if (packet.cumulative < sender.acknowledged.first_missing()) return;
    settle_before(context, packet.flow, packet.cumulative);
    context.counters().repeats += sender.go_back();
    if (sender.credit <= 0) request(context, packet.flow);
  } else {
    if (sender.acknowledged.has(packet.sequence)) return;
    sender.repeats.push_back(packet.sequence);
    ++context.counters().repeats;
    if (ends_.rules.repeats_first && sender.credit <= 0 && sender.next == sender.packets)
      request(context, packet.flow);
  }
  list(context, packet.flow);
}

/// Of the flow's silence: from the last packet that was sent, or word that came, on. Where receivers do not
/// say what is missing, from each packet's sending.
template <class Context>
void CreditSenders::set_deadline(Context& context, std::uint32_t flow) {
  ends_.senders[flow].deadline =
      ends_.forgets() ? silences_.deadline(flow, context.now()) : context.now() + timeout_;
}

/// Word has come: speculation is over.
template <class Context>
void CreditSenders::feed(Context& context, std::uint32_t flow, bool heard) {
  CreditSender& sender = ends_.senders[flow];
  if (heard && sender.deadline != kNever) set_deadline(context, flow);
  if (!sender.speculates) return;
  sender.speculates = false;
  const bool cut_short = sender.credit > 0 && sender.next < sender.packets;
  sender.credit = std::min(sender.credit, 0);
  if (cut_short && ends_.rules.repeats_first)
    request(context, flow);  // what was sent asked for nothing in place of this credit
}

/// A packet of its own that asks for credit, where no data can: the credit for a repeat may have come, and
/// been spent, before the report that it is needed; speculation may have ended before it was of use.
template <class Context>
void CreditSenders::request(Context& context, std::uint32_t flow) {
  CreditSender& sender = ends_.senders[flow];
  const std::uint32_t last = std::max(sender.next, 1U) - 1;  // that was sent
  auto out = ends_.packets.control<CreditPacket>(flow, PacketKind::pull, last, false);
  const auto repeats = static_cast<std::uint32_t>(sender.repeats.size());
  const std::uint32_t packets = std::min(sender.packets - sender.next + repeats, ends_.rules.window_packets);
  out.target = after(sender.granted, credit_of(packets));
  send_at_once(context, ends_.paths, out, false, sender.paths);
}

template <class Context>
void CreditSenders::acknowledged(Context& context, const CreditPacket& packet) {
  constexpr std::uint32_t kBefore = CreditPacket::kBefore;
  CreditSender& sender = ends_.senders[packet.flow];
  if (sender.deadline == kNever) return;
  if (ends_.forgets()) silences_.answered(packet.flow, packet.sequence);
  const std::uint32_t known = sender.count;
  if (packet.target != CreditPacket::kNoWay)
    ends_.paths.arrived(packet.flow, packet.target, packet.congested());
  feed(context, packet.flow);
  settle_before(context, packet.flow, packet.cumulative);
  std::uint64_t news = packet.received_bits & ~sender.acknowledged.around(packet.sequence, kBefore);
  if (packet.sequence < kBefore) news &= ~std::uint64_t{0} << (kBefore - packet.sequence);
  while (news != 0) {  // from the latest on
    const auto before = static_cast<std::uint32_t>(std::countl_zero(news));
    news &= ~(std::uint64_t{1} << (kBefore - before));
    settle(context, packet.flow, packet.sequence - before);
  }
  forget_repeats(sender.repeats, sender.acknowledged);
  if (ends_.in_order())
    sender.next = std::max(sender.next, sender.acknowledged.first_missing());  // a timeout too soon
  if (ends_.forgets() && sender.count > known) silences_.arrived(packet.flow);
  if (sender.count < sender.packets) return list(context, packet.flow);
  sender.deadline = kNever;
  sender.sent.clear();
  ends_.finished(context, packet.flow);
}

template <class Context>
void CreditSenders::settle(Context& context, std::uint32_t flow, std::uint32_t sequence) {
  CreditSender& sender = ends_.senders[flow];
  if (!sender.acknowledged.add(sequence)) return;
  ++sender.count;
  ends_.known(context, flow, sequence);
}

template <class Context>
void CreditSenders::settle_before(Context& context, std::uint32_t flow, std::uint32_t end) {
  const SequenceSet& acknowledged = ends_.senders[flow].acknowledged;
  for (std::uint32_t s = acknowledged.first_missing(); s < end; s = acknowledged.first_missing())
    settle(context, flow, s);
}

template <class Context>
void CreditSenders::wake(Context& context) {
  ends_.hosts[context.host()].timeouts.run(
      context.now(), [&](std::uint32_t flow) { return due(flow); },
      [&](std::uint32_t flow) { time_out(context, flow); },
      [&](std::uint32_t flow) { ends_.senders[flow].timed = false; });
}

/// The oldest packet's timeout, or, where none is known to be under way, that of the flow's silence.
inline Picoseconds CreditSenders::due(std::uint32_t flow) {
  CreditSender& sender = ends_.senders[flow];
  if (sender.deadline == kNever || !ends_.in_any_order()) return sender.deadline;
  const Picoseconds oldest = sender.sent.oldest(sender.acknowledged);
  return oldest == kNever ? sender.deadline : oldest + timeout_;
}

/// A flow that has nothing under way waits for its turn; it asks again, since what it asked for, or was
/// granted, may have been lost.
template <class Context>
void CreditSenders::time_out(Context& context, std::uint32_t flow) {
  CreditSender& sender = ends_.senders[flow];
  const bool silent = sender.deadline <= context.now();
  if (ends_.forgets()) {
    set_deadline(context, flow);
    if (silences_.any(flow) && sender.deadline > context.now()) return;
  }
  const bool waits = sender.next == 0 && sender.speculates;  // for its turn
  const std::uint32_t lost = waits ? 0 : lose(context, flow, silent);
  if (lost == 0 && !silent) return;
  set_deadline(context, flow);
  if (silent) wait_anew(context, ends_.paths, flow, sender, turns_);
  if (waits) return list(context, flow);
  if (lost > 0) {
    ++context.counters().timeouts;
    context.counters().repeats += lost;
    if (silent)
      ends_.paths.timed_out(flow, sender.deadline);  // one lost packet says nothing of the others' ways
  }
  if (sender.speculates) sender.credit = 0;
  sender.speculates = false;
  const bool repeats_alone = ends_.forgets() || sender.next == sender.packets;
  if (sender.credit <= 0 ||
      (repeats_alone && sender.credit < credit_of(static_cast<std::uint32_t>(sender.repeats.size()))))
    request(context, flow);
  list(context, flow);
}

/// Takes for lost what a timeout says is, `silent`: all; how many packets that are.
template <class Context>
std::uint32_t CreditSenders::lose(Context& context, std::uint32_t flow, bool silent) {
  CreditSender& sender = ends_.senders[flow];
  if (ends_.in_order()) return sender.go_back();
  std::uint32_t lost = 0;
  const auto repeat = [&](std::uint32_t sequence) {
    if (sender.acknowledged.has(sequence)) return;
    sender.repeats.push_back(sequence);
    ++lost;
  };
  if (ends_.forgets()) {
    silences_.lose(flow, context.now(), repeat);
    set_deadline(context, flow);
    return lost;
  }
  const Picoseconds now = context.now();
  const Picoseconds since = silent ? kNever : now - std::min(now, timeout_) + 1;
  sender.sent.lose(since, silent ? sender.next : 0, sender.acknowledged, sender.repeats, repeat);
  return lost;
}

}  // namespace trainyard::packet
