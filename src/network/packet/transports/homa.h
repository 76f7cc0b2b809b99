// Homa (Montazeri et al. 2018): the shortest messages first, by grants and by the priorities of switches.
//
// A sender sends a round trip's worth of bytes unscheduled, with a priority by the message's size. A receiver
// grants more to the messages with the least left, a round trip ahead of what has come, to several at a time,
// each with a priority of its own. Senders, too, send first for the message with the least left. A receiver
// that waits in vain asks again for what is missing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/packet/transports/homa_receivers.h"
#include "network/packet/transports/homa_records.h"
#include "network/packet/transports/homa_senders.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class Homa {
 public:
  using Packet = HomaPacket;

  Homa(const TransportSetup& setup, const HomaRules& rules)
      : ends_(setup), senders_(setup, rules, ends_), receivers_(setup, rules, ends_) {}

  template <class Context>
  void start(Context& context, std::uint32_t flow) {
    senders_.start(context, flow);
    plan_wake(context);
  }
  template <class Context>
  bool offer(Context& context, Packet& out) {
    return senders_.offer(context, out);
  }
  template <class Context>
  void receive(Context& context, const Packet& packet) {
    if (packet.kind != PacketKind::data && packet.kind != PacketKind::header)
      return senders_.receive(context, packet);
    receivers_.take_data(context, packet);
    plan_wake(context);
  }
  template <class Context>
  void wake(Context& context) {
    receivers_.wake(context);
    senders_.wake(context);
    plan_wake(context);
  }

  std::size_t bytes() const { return ends_.bytes(); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    return packet.sequence < ends_.packets.count(packet.flow) + (packet.kind == PacketKind::pull ? 1 : 0);
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    sample.received_bytes = ends_.payload_bytes(flow, ends_.receivers[flow].count);
  }

 private:
  template <class Context>
  void plan_wake(Context& context) const {
    context.wake_at(ends_.hosts[context.host()].next_wake());
  }

  HomaEnds ends_;
  HomaSenders senders_;
  HomaReceivers receivers_;
};

}  // namespace trainyard::packet
