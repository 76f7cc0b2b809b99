// Transports whose receivers hand out credit at the rate of their links: EQDS (Olteanu et al. 2022) and Ultra
// Ethernet's RCCC.
//
// A sender sends its first window on speculation; it tells in every packet how much credit it could use. A
// receiver grants it in turn over its flows, first to those that have packets to repeat where the rules say
// so; where none wants any, it goes on with all that have begun, up to a window ahead of what they asked for,
// so that a sender whose speculation ends has credit already. Headers of packets that a switch cut are
// reported at once. Acknowledgements cover several packets.
//
// In order alone (UE 1.0, ROD) a receiver throws away what comes behind a gap and complains once of each; the
// sender goes back to it, and asks for the credit once more. Receivers that remember no packets (RUDI) keep
// account of credit alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/packet/transports/credit_grants.h"
#include "network/packet/transports/credit_receivers.h"
#include "network/packet/transports/credit_records.h"
#include "network/packet/transports/credit_senders.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class Credits {
 public:
  using Packet = CreditPacket;

  Credits(const TransportSetup& setup, const CreditRules& rules)
      : ends_(setup, rules),
        senders_(setup, ends_),
        grants_(setup, ends_),
        receivers_(setup, ends_, grants_) {}

  template <class Context>
  void start(Context& context, std::uint32_t flow) {
    senders_.start(context, flow);
  }
  template <class Context>
  bool offer(Context& context, Packet& out) {
    return senders_.offer(context, out);
  }
  void prefetch(const Packet& packet) const { ends_.prefetch(packet); }
  void prefetch_more(const Packet& packet) const {
    if (packet.flow < ends_.flows.size() && packet.kind != PacketKind::data)
      ends_.paths.prefetch(packet.flow);
  }
  void prefetch_host(std::uint32_t host) const {
    senders_.turns().prefetch(host);
    ends_.hosts[host].prefetch();
  }
  template <class Context>
  void receive(Context& context, const Packet& packet) {
    hand_to_end(context, packet, senders_, receivers_, [&] {
      if (context.host() == ends_.flows[packet.flow].to) return receivers_.take_request(context, packet);
      senders_.take_credit(context, packet);
    });
  }
  template <class Context>
  void wake(Context& context) {
    grants_.wake(context);
    senders_.wake(context);
    ends_.plan_wake(context);
  }

  std::size_t bytes() const { return ends_.bytes() + senders_.bytes(); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a, senders_.turns());
    a(senders_.silences());
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    const std::uint32_t packets = ends_.packets.count(packet.flow);
    if (packet.kind == PacketKind::pull) return packet.cumulative <= packets;
    if (packet.sequence >= packets) return false;
    const bool is_data = packet.kind == PacketKind::data || packet.kind == PacketKind::header;
    if (is_data) return ends_.paths.can_judge(packet.cumulative);
    const bool names_way = packet.kind == PacketKind::nack || packet.target != CreditPacket::kNoWay;
    return packet.cumulative <= packets && (!names_way || ends_.paths.can_judge(packet.target));
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    flow = ends_.messages.connection(flow);
    sample.received_bytes = ends_.payload_bytes(flow, ends_.receivers[flow].count);
  }

 private:
  CreditEnds ends_;
  CreditSenders senders_;
  CreditGrants grants_;
  CreditReceivers receivers_;
};

/// Runs the engine with them.
RunOutcome run_credits(const TransportSetup& setup, Credits& transport, const WindowTick& tick);

}  // namespace trainyard::packet
