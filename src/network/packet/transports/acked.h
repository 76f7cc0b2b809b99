// Transports whose senders act on acknowledgements: windows, pacing and repeats, whatever the control law
// (control_law.h).
//
// Receivers acknowledge every packet, by itself or several at once. A packet counts as lost when three that
// were sent later have been acknowledged (RFC 6675's threshold), or, where packets take different paths, when
// one that was sent a round trip later has (RFC 8985), or where switches report cuts, when windows that were
// sent later have left it behind; when a switch reports that it was cut; or after the
// timeout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "network/packet/transports/acked_receivers.h"
#include "network/packet/transports/acked_records.h"
#include "network/packet/transports/acked_senders.h"
#include "network/packet/transports/control_law.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

template <class Control>
class Acked {
  static_assert(check_control_law<Control>());

 public:
  using Packet = typename Control::Packet;

  Acked(const TransportSetup& setup, Control control)
      : control_(std::move(control)),
        ends_(setup),
        senders_(setup, control_, ends_),
        receivers_(control_, ends_, setup.packets_per_ack, setup.delivery == Delivery::rudi) {}

  std::size_t bytes() const { return ends_.bytes() + receivers_.bytes(); }

  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a, senders_.turns(), receivers_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const {
    senders_.check_restored(now);
    receivers_.check_restored(now, [&](const Packet& packet) { return fits(packet); });
    const auto not_received = [&](std::uint32_t flow, std::uint32_t sequence) {
      const AckedReceiver<Control>& receiver = ends_.receivers[flow];
      if constexpr (!Control::kGoBackN) {
        if (receiver.received.has(sequence)) return false;
      }
      return sequence >= receiver.expected;
    };
    const auto not_acknowledged = [&](std::uint32_t flow, std::uint32_t sequence) {
      const auto& board = ends_.senders[flow].board;
      if constexpr (Control::kGoBackN) {
        return sequence >= board.count;
      } else {
        return !board.acknowledged.has(sequence);
      }
    };
    ends_.messages.check_restored(not_received, not_acknowledged);
  }
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    const std::uint32_t packets = ends_.packets.count(packet.flow);
    if constexpr (requires { packet.received_bits; }) {
      if (!bits_within(packet.received_bits, packet.sequence, Packet::kBefore, packets)) return false;
    }
    return packet.sequence < packets && packet.cumulative <= packets && ends_.paths.can_judge(packet.way);
  }

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
    if (packet.flow >= ends_.flows.size() || packet.kind == PacketKind::data) return;
    ends_.paths.prefetch(packet.flow);
    if constexpr (!Control::kGoBackN) ends_.senders[packet.flow].board.outstanding.prefetch();
  }
  void prefetch_host(std::uint32_t host) const {
    senders_.turns().prefetch(host);
    ends_.hosts[host].prefetch();
  }
  template <class Context>
  void receive(Context& context, const Packet& packet) {
    hand_to_end(context, packet, senders_, receivers_, [&] { receivers_.answer_request(context, packet); });
  }
  template <class Context>
  void wake(Context& context) {
    senders_.wake(context);
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    flow = ends_.messages.connection(flow);
    constexpr double kNoWindow = 1e9;  // of laws that have rates alone
    const AckedReceiver<Control>& receiver = ends_.receivers[flow];
    const typename Control::State& state = ends_.senders[flow].control;
    sample.received_bytes = ends_.payload_bytes(flow, Control::kGoBackN ? receiver.expected : receiver.count);
    if (control_.window(state) < kNoWindow) sample.window_packets = control_.window(state);
    if constexpr (requires { control_.rate_share(state); }) sample.rate_share = control_.rate_share(state);
  }

 private:
  Control control_;
  AckedEnds<Control> ends_;
  AckedSenders<Control> senders_;
  AckedReceivers<Control> receivers_;
};

}  // namespace trainyard::packet
