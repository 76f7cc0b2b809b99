// What links do about bit errors: packets are lost, or sent again until they arrive whole (UE 1.0, section
// 5.1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mixing.h"
#include "network/packet/flow_control.h"
#include "network/packet/port_links.h"
#include "network/packet/queueing.h"
#include "network/packet/replays.h"

namespace trainyard::packet {

class LinkGuard {
 public:
  LinkGuard(const Layout& layout, const QueueRules& rules, const PortLinks& links)
      : rules_(rules),
        links_(links),
        corrupts_(rules.lost_below > 0),
        replays_(rules.link_retry && rules.replay_bytes > 0 ? layout.wires.size() : 0) {
    for (const LinkRules& link : layout.links) corrupts_ |= link.bit_error_rate > 0;
  }

  /// Whether links do anything.
  bool any() const { return corrupts_ || rules_.link_retry; }
  /// Whether a packet that has occupied its port arrives, and when.
  template <class P>
  bool passes(Counters& counters, Port& port, std::uint32_t port_index, Picoseconds begins, P& packet) {
    if (rules_.link_retry) return replay(counters, port, port_index, begins, packet);
    return !(corrupts_ && is_corrupted(packet, port_index));
  }

  std::size_t bytes() const { return replays_.capacity() * sizeof(ReplayBuffer); }
  template <class Archive>
  void serialize(Archive& a) {
    for (ReplayBuffer& buffer : replays_) a(buffer);
  }
  bool in_bounds(Picoseconds now) const {
    return std::all_of(replays_.begin(), replays_.end(),
                       [now](const ReplayBuffer& buffer) { return buffer.in_bounds(now); });
  }

 private:
  /// Link-level retry: the link sends the packet until it arrives whole. When a packet is destroyed, what
  /// goes after it is worth nothing until the receiver's word has come, and is sent once more after it
  /// (go-back-N): here the link stands still until then.
  template <class P>
  bool replay(Counters& counters, Port& port, std::uint32_t port_index, Picoseconds begins, P& packet) {
    const LinkRules& link = links_.of(port_index);
    const Picoseconds word = 2 * link.delay + link.time(kOrderedSetBytes);
    const Picoseconds once = port.free_at - begins + word;
    Picoseconds late = 0;
    if (!replays_.empty()) {
      const Picoseconds room = replays_[port_index].room_at(begins, packet.bytes, rules_.replay_bytes);
      late = room - begins;
    }
    bool arrives = false;
    for (std::uint32_t replays = 0; !arrives; ++replays, late += once) {
      P attempt = packet;
      attempt.arrival += late;
      arrives = !corrupts_ || !is_corrupted(attempt, port_index);
      if (arrives || replays == rules_.replay_limit) break;
      ++counters.replays;
    }
    packet.arrival += late;
    port.free_at += late;
    if (!replays_.empty()) replays_[port_index].hold(port.free_at + word, packet.bytes);
    return arrives;
  }

  bool is_corrupted(const Packet& packet, std::uint32_t port) const {
    const std::uint64_t random = mixed((std::uint64_t{packet.flow} << 32U) | packet.sequence,
                                       packet.arrival ^ (std::uint64_t{port} << 40U));
    if (random < rules_.lost_below) return true;
    const LinkRules& link = links_.of(port);
    return link.bit_error_rate > 0 && static_cast<double>(mixed(random, link.error_seed)) <
                                          0x1p64 * loss_probability(link.bit_error_rate, packet.bytes);
  }

  const QueueRules& rules_;
  const PortLinks& links_;
  bool corrupts_;
  std::vector<ReplayBuffer> replays_;  // of every port, where their room is limited
};

}  // namespace trainyard::packet
