// What packets of a restored state have to keep to (bounds.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "network/packet/ports.h"
#include "network/packet/workers.h"
#include "network/wiring/layout.h"
#include "trainyard/flow.h"

namespace trainyard::packet {

template <class Transport>
class PacketBounds {
 public:
  using P = typename Transport::Packet;

  PacketBounds(Ports<P>& ports, const std::vector<Flow>& flows, const Transport& transport,
               std::uint32_t largest_bytes)
      : ports_(ports),
        layout_(ports.layout),
        flows_(flows),
        transport_(transport),
        largest_bytes_(std::max<std::uint32_t>(largest_bytes, kLargestControl)) {}

  /// Whether a packet that waits at a node, or is on its way there, can be handled.
  bool fits(std::uint32_t n, const P& packet) const {
    const Node& node = layout_.nodes[n];
    if (packet.priority >= ports_.priorities() || packet.in_port >= node.ports || packet.bytes == 0)
      return false;
    if (packet.kind == PacketKind::pause) return packet.priority == kLinkPriority && is_of_links(packet);
    if (packet.flow >= flows_.size() || packet.bytes > largest_bytes_) return false;
    if constexpr (requires { packet.sent; }) {
      if (!is_past(packet.sent, ports_.windows.begin())) return false;
    }
    if constexpr (requires { packet.in_bounds(); }) {
      if (!packet.in_bounds()) return false;
    }
    return is_to_its_end(packet) && layout_.is_way(packet.up_leaf, packet.up_aggregation) &&
           transport_.fits(packet);
  }

  /// Refuses what workers cannot hold, and queues that are not as they count them.
  void check_restored(const typename Workers<P>::Held& held) const {
    check_waiting(held.waiting);
    keep_all(held.in_flight, [&](const auto& one) {
      return one.node < layout_.nodes.size() && fits(one.node, one.packet) &&
             ports_.windows.is_slot(one.slot, one.packet.arrival) &&
             is_at_goal(one.node, one.packet.in_port, one.packet);
    });
    keep_all(held.trace, [&](const TraceEntry& entry) {
      return entry.node < layout_.nodes.size() && entry.port < layout_.nodes[entry.node].ports &&
             entry.flow < flows_.size() && entry.kind <= PacketKind::pause && entry.event <= TraceEvent::lost;
    });
  }

 private:
  /// Whether links with this flow control send such a frame.
  bool is_of_links(const P& frame) const {
    if (frame.marks != kCredit) return ports_.rules.pauses() && frame.sequence < ports_.priorities();
    const std::uint32_t priority = credit_priority(frame);
    return ports_.rules.credits() && priority >= kDataPriority && priority < ports_.priorities() &&
           credit_bytes(frame) <= largest_bytes_;
  }

  static constexpr std::uint32_t kLargestControl = 1024;  // of simulation.control_packet

  void check_waiting(std::int64_t expected) const {
    std::int64_t waiting = 0;
    ports_.each_waiting([&](std::uint32_t n, std::uint32_t port, const P& packet) {
      const Wire& wire = layout_.wires[port];
      keep_bounds(fits(n, packet) && is_at_goal(wire.node, wire.in_port, packet));
      ++waiting;
    });
    keep_bounds(waiting == expected);
  }

  /// Whether a packet that comes in there is at its goal, where the node is one of hosts.
  bool is_at_goal(std::uint32_t n, std::uint32_t in_port, const P& packet) const {
    if (!layout_.nodes[n].hosts || packet.kind == PacketKind::pause) return true;
    return packet.to == address(n, in_port / layout_.planes);
  }
  /// Data goes to the receiver of its flow, what answers it to the sender.
  bool is_to_its_end(const P& packet) const {
    const Flow& flow = flows_[packet.flow];
    const bool to_sender = packet.to == layout_.address_of_host[flow.from];
    const bool to_receiver = packet.to == layout_.address_of_host[flow.to];
    switch (packet.kind) {
      case PacketKind::data:
      case PacketKind::header:
        return to_receiver;
      case PacketKind::pull:
        if constexpr (requires { P::kAsks; }) return to_sender || to_receiver;
        return to_sender;
      case PacketKind::ack:
      case PacketKind::nack:
        return to_sender;
      case PacketKind::pause:
        break;
    }
    return false;
  }

  Ports<P>& ports_;
  const Layout& layout_;
  const std::vector<Flow>& flows_;
  const Transport& transport_;
  std::uint32_t largest_bytes_;
};

}  // namespace trainyard::packet
