// What receivers that hand out credit (credit_grants.h) answer: acknowledgements of several packets, and of
// cut ones, or of gaps in order, word at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "network/packet/transports/credit_grants.h"
#include "network/packet/transports/credit_records.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class CreditReceivers {
 public:
  CreditReceivers(const TransportSetup& setup, CreditEnds& ends, CreditGrants& grants)
      : packets_per_ack_(ends.forgets()              ? 1
                         : setup.packets_per_ack > 0 ? setup.packets_per_ack
                                                     : kPacketsPerAck),
        ends_(ends),
        grants_(grants) {}

  template <class Context>
  void take_data(Context& context, const CreditPacket& packet);
  /// A switch cut a payload off.
  template <class Context>
  void take_header(Context& context, const CreditPacket& packet);
  /// A request for credit asks for an answer, too, for all that was sent before it.
  template <class Context>
  void take_request(Context& context, const CreditPacket& packet);

 private:
  static constexpr std::uint32_t kPacketsPerAck = 4;  // unless somebody says otherwise; htsim: 16,384 bytes

  bool owes_answer(CreditReceiver& receiver, const CreditPacket& packet);
  template <class Context>
  void skip(Context& context, const CreditPacket& packet);
  template <class Context>
  void report(Context& context, const CreditPacket& packet, PacketKind kind, bool names_way = true);
  void tell_of_others(CreditReceiver& receiver, CreditPacket& out) const;

  std::uint32_t packets_per_ack_;
  CreditEnds& ends_;
  CreditGrants& grants_;
};

/// Whether the sender has asked for one with a packet, or with one that has overtaken it.
inline bool CreditReceivers::owes_answer(CreditReceiver& receiver, const CreditPacket& packet) {
  if ((packet.marks & CreditPacket::kAnswer) != 0)
    receiver.asked = std::max(receiver.asked, packet.asked_before());
  return packet.sequence < receiver.asked;
}

template <class Context>
void CreditReceivers::take_data(Context& context, const CreditPacket& packet) {
  CreditReceiver& receiver = ends_.receivers[packet.flow];
  grants_.took_whole(context, packet);
  const bool skips = ends_.in_order() && packet.sequence > receiver.expected;
  const bool fresh = !skips && receiver.received.add(packet.sequence);
  bool complete = false;
  if (fresh) {
    receiver.complained = false;
    receiver.expected = receiver.received.first_missing(receiver.expected);
    complete = ends_.arrived(context, packet.flow, packet.sequence, ++receiver.count);
  } else if (ends_.forgets()) {
    ++context.counters().duplicates;
  }
  grants_.take_target(context, packet.flow, packet.target);
  if (skips) return skip(context, packet);
  receiver.latest = receiver.unanswered++ == 0 ? packet.sequence : std::max(receiver.latest, packet.sequence);
  const bool asks = (packet.marks & CreditPacket::kAnswer) != 0;
  const bool owes = owes_answer(receiver, packet);
  const bool due = !fresh || asks || packet.congested() || receiver.count == 1 || complete ||
                   receiver.unanswered >= packets_per_ack_;
  if (due || owes) report(context, packet, PacketKind::ack, due || receiver.count == receiver.expected);
}

template <class Context>
void CreditReceivers::take_header(Context& context, const CreditPacket& packet) {
  CreditReceiver& receiver = ends_.receivers[packet.flow];
  grants_.took_cut(context, packet);
  if (ends_.in_order()) {
    grants_.take_target(context, packet.flow, packet.target);
    if (packet.sequence < receiver.expected) return report(context, packet, PacketKind::ack);
    if (packet.sequence > receiver.expected) return skip(context, packet);
    receiver.complained = true;  // of this repeat, whatever was said of the gap before
    return report(context, packet, PacketKind::nack);
  }
  grants_.owe(context, packet.flow);
  grants_.take_target(context, packet.flow, packet.target);  // a header says it as well
  report(context, packet, PacketKind::nack);
  if (owes_answer(receiver, packet) && receiver.unanswered > 0)
    report(context, packet, PacketKind::ack, false);
}

template <class Context>
void CreditReceivers::take_request(Context& context, const CreditPacket& packet) {
  CreditReceiver& receiver = ends_.receivers[packet.flow];
  CreditPacket last = packet;
  last.sequence =
      std::min(packet.sequence, ends_.packets.count(packet.flow) - 1);  // a checkpoint may say more
  receiver.asked = std::max(receiver.asked, last.sequence + 1);
  if (receiver.unanswered > 0) report(context, last, PacketKind::ack);
  grants_.take_request(context, packet);
}

/// Behind a gap, in order alone: says once that something is missing.
template <class Context>
void CreditReceivers::skip(Context& context, const CreditPacket& packet) {
  CreditReceiver& receiver = ends_.receivers[packet.flow];
  if (receiver.complained) return;
  receiver.complained = true;
  report(context, packet, PacketKind::nack);
}

/// In uet-htsim packets that were overtaken by one that asks are answered together, when none is missing any
/// more: so many ways are named here as well, while each is answered at once, which spares timeouts.
template <class Context>
void CreditReceivers::report(Context& context, const CreditPacket& packet, PacketKind kind, bool names_way) {
  CreditReceiver& receiver = ends_.receivers[packet.flow];
  auto out = ends_.packets.control<CreditPacket>(packet.flow, kind, packet.sequence, true);
  out.marks = packet.marks & (CreditPacket::kCongested | CreditPacket::kCutAtEnd);
  const bool judges = names_way && packet.kind != PacketKind::pull;
  out.target = judges ? packet.cumulative : CreditPacket::kNoWay;
  out.up_leaf = packet.up_leaf;
  out.up_aggregation = packet.up_aggregation;
  if (ends_.in_order() || (kind == PacketKind::ack && !ends_.forgets())) out.cumulative = receiver.expected;
  if (kind == PacketKind::ack) tell_of_others(receiver, out);
  send_at_once(context, ends_.paths, out, true, receiver.paths);
}

/// An acknowledgement's bits end with the latest packet of which nothing was said, which may be behind the
/// one that calls for it: a repeat is answered at once.
inline void CreditReceivers::tell_of_others(CreditReceiver& receiver, CreditPacket& out) const {
  constexpr std::uint32_t kBefore = CreditPacket::kBefore;
  if (ends_.forgets()) {
    out.received_bits = std::uint64_t{1} << kBefore;
    receiver.unanswered = 0;
    return;
  }
  if (receiver.unanswered > 0)
    out.sequence = std::clamp(receiver.latest, out.sequence, out.sequence + kBefore);
  out.received_bits = receiver.received.around(out.sequence, kBefore);
  receiver.unanswered = std::min(receiver.unanswered, receiver.latest > out.sequence ? 1U : 0U);
}

}  // namespace trainyard::packet
