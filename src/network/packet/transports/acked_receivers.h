// The receiving side of Acked: every packet is acknowledged.
#pragma once

#include <cstdint>

#include "network/packet/transports/acked_records.h"
#include "network/packet/transports/host_tools.h"

namespace trainyard::packet {

template <class Control>
class AckedReceivers {
 public:
  using Packet = typename Control::Packet;

  AckedReceivers(const Control& control, AckedEnds<Control>& ends) : control_(control), ends_(ends) {}

  /// Takes data.
  template <class Context>
  void answer(Context& context, const Packet& packet) {
    Receiver& receiver = ends_.receivers[packet.flow];
    const std::uint32_t packets = ends_.senders[packet.flow].board.packets;
    if constexpr (Control::kGoBackN) {
      if (packet.sequence > receiver.expected) return complain(context, packet);
      if (packet.sequence == receiver.expected) {
        ++receiver.expected;
        receiver.complained = false;
        if (receiver.expected == packets) context.received(packet.flow);
      }
    } else {
      if (receiver.received.add(packet.sequence)) {
        if (++receiver.count == packets) context.received(packet.flow);
        receiver.expected = receiver.received.first_missing(receiver.expected);
      }
    }
    report(context, packet, PacketKind::ack);
  }

  template <class Context>
  void report(Context& context, const Packet& packet, PacketKind kind) {
    Receiver& receiver = ends_.receivers[packet.flow];
    Packet out = ends_.packets.template control<Packet>(packet.flow, kind, packet.sequence, true);
    out.sent = packet.sent;
    out.cumulative = receiver.expected;
    out.data_up_leaf = packet.data_up_leaf;
    out.data_up_aggregation = packet.data_up_aggregation;
    out.marks = packet.marks & Packet::kCongested;
    control_.answer(receiver.notes, packet, out, context.now());
    send_at_once(context, ends_.paths, out, true, receiver.paths);
  }

 private:
  using Receiver = AckedReceiver<Control>;

  /// Says once that something is missing.
  template <class Context>
  void complain(Context& context, const Packet& packet) {
    Receiver& receiver = ends_.receivers[packet.flow];
    if (receiver.complained) return;
    receiver.complained = true;
    report(context, packet, PacketKind::nack);
  }

  const Control& control_;
  AckedEnds<Control>& ends_;
};

}  // namespace trainyard::packet
