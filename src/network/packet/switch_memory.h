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

  /// Data waits, `bytes` more than before its arrival; whether its sender has to stop.
  bool enter(std::uint32_t n, const Node& node, const Packet& packet, std::uint64_t bytes) {
    pool_used_[n] += bytes;
    return rules_.pauses() && ingress_.enter(node, packet, bytes);
  }
  /// Data leaves its queue; whether its sender may go on.
  bool leave(std::uint32_t n, const Node& node, const Packet& packet) {
    pool_used_[n] -= packet.bytes;
    return rules_.pauses() && ingress_.leave(node, packet);
  }

  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, pool_used_);
    a(ingress_);
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
  const Layout& layout_;
  const QueueRules& rules_;
  std::vector<std::uint64_t> pool_used_;  // of each switch
  Ingress ingress_;
};

}  // namespace trainyard::packet
