// What may wait in switches: a pool that the ports of each share, and the headroom behind pauses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/packet/flow_control.h"
#include "network/packet/ports.h"

namespace trainyard::packet {

/// Data that waits in switches whose ports share something.
class SwitchMemory {
 public:
  SwitchMemory(const Layout& layout, const QueueRules& rules, std::uint32_t priorities)
      : layout_(layout),
        rules_(rules),
        pool_used_(rules.ordered() ? layout.nodes.size() : 0, 0),
        held_(rules.only_pauses() ? layout.nodes.size() : 0, 0),
        ingress_(layout, rules, priorities, rules.pauses()) {}

  /// How many bytes of data may wait at a port, which has `queue_bytes` for itself.
  std::uint64_t room(std::uint32_t n, const Port& port, std::uint64_t queue_bytes) const {
    if (rules_.lossless()) return kNever;
    if (rules_.pool_bytes == 0) return queue_bytes;
    const std::uint64_t free = rules_.pool_bytes - std::min(rules_.pool_bytes, pool_used_[n]);
    // No port may take more than is left, however large its share.
    const auto share = static_cast<std::uint64_t>(rules_.share * static_cast<double>(free));
    return std::min({queue_bytes, share, port.data_bytes + free});
  }
  /// Whether the headroom behind a pause is used up.
  bool overflows(const Node& node, const Packet& packet) const {
    return rules_.pauses() && packet.priority >= kDataPriority && ingress_.overflows(node, packet);
  }

  void prefetch(const Node& node, const Packet& packet) const { ingress_.prefetch(node, packet); }

  /// Data waits, `bytes` more than before its arrival; whether its sender has to stop.
  bool enter(std::uint32_t n, const Node& node, const Packet& packet, std::uint64_t bytes) {
    pool_used_[n] += bytes;
    if (!rules_.pauses() || !ingress_.enter(node, packet, bytes)) return false;
    hold(n, 1);
    return true;
  }
  /// Data leaves its queue; whether its sender may go on.
  bool leave(std::uint32_t n, const Node& node, const Packet& packet) {
    pool_used_[n] -= packet.bytes;
    if (!rules_.pauses() || !ingress_.leave(node, packet)) return false;
    hold(n, -1);
    return true;
  }

  // Where nobody is stopped and nobody will have to be, the ports of a switch share nothing.

  /// A port of the switch has been stopped, 1, or may go on, -1.
  void hold(std::uint32_t n, int more) {
    if (!held_.empty()) held_[n] = static_cast<std::uint32_t>(static_cast<int>(held_[n]) + more);
  }
  /// Takes what arrives in a window as if all of it waited, until left() says that it has gone on; but takes
  /// nothing, and returns false, unless no pause then begins, ends or holds.
  template <class P>
  bool enter_all(std::uint32_t n, const Node& node, const std::vector<P>& arrivals) {
    if (held_.empty() || held_[n] != 0) return false;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const P& packet = arrivals[i];
      if (packet.kind == PacketKind::pause) return undo(node, arrivals, i);
      if (packet.priority < kDataPriority) continue;
      bytes += packet.bytes;
      if (!ingress_.enter_calmly(node, packet)) return undo(node, arrivals, i);
    }
    pool_used_[n] += bytes;
    return true;
  }
  /// Data of such a window, or of one before it, goes on.
  void left(std::uint32_t n, const Node& node, const Packet& packet) {
    if (packet.priority < kDataPriority) return;
    pool_used_[n] -= packet.bytes;
    ingress_.leave_calmly(node, packet);
  }

  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, pool_used_);
    a(ingress_);
  }
  /// Counts anew what a restored state holds.
  void count_held(const PagedVector<Port>& ports) {
    for (std::uint32_t n = 0; n < held_.size(); ++n) {
      held_[n] = 0;
      const Node& node = layout_.nodes[n];
      for (std::uint32_t p = node.first_port; p < node.first_port + node.ports; ++p)
        held_[n] += ingress_.stopped(p) + (ports[p].paused != 0 ? 1U : 0U);
    }
  }
  /// Whether a restored state is that of the packets that wait.
  template <class P>
  bool in_bounds(Ports<P>& ports) const {
    std::vector<std::uint64_t> used(pool_used_.size(), 0);
    Ingress::Sum behind(ingress_);
    ports.each_waiting([&](std::uint32_t n, std::uint32_t, const P& packet) {
      if (packet.priority < kDataPriority || layout_.nodes[n].hosts || used.empty()) return;
      used[n] += packet.bytes;
      behind.add(layout_.nodes[n], packet);
    });
    return behind.holds() && used == pool_used_;
  }

 private:
  template <class P>
  bool undo(const Node& node, const std::vector<P>& arrivals, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (arrivals[i].priority >= kDataPriority) ingress_.leave_calmly(node, arrivals[i]);
    }
    return false;
  }

  const Layout& layout_;
  const QueueRules& rules_;
  std::vector<std::uint64_t> pool_used_;  // of each switch
  std::vector<std::uint32_t> held_;  // of each switch: ports that are stopped, and kinds that it has stopped
  Ingress ingress_;
};

}  // namespace trainyard::packet
