// The links behind ports, as failures leave them now, and when what they carry arrives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bounds.h"
#include "network/packet/packet.h"
#include "network/packet/queueing.h"
#include "network/wiring/layout.h"

namespace trainyard::packet {

class PortLinks {
 public:
  PortLinks(const Layout& layout, const QueueRules& rules) : layout_(layout), rules_(rules) {
    for (const LinkRules& link : layout.links) plain_ = plain_ && !link.passes_through;
    if (!rules.cut_through) return;
    plain_ = false;
    find_fastest();
  }

  const LinkRules& of(std::uint32_t port) const {
    return now_.empty() ? layout_.link_of(port) : layout_.links[now_[port]];
  }
  /// Links may change while the run lasts.
  void follow() {
    plain_ = false;
    now_.reserve(layout_.wires.size());
    for (const Wire& wire : layout_.wires) now_.push_back(wire.link);
  }
  void change(std::uint32_t port, std::uint16_t link) { now_[port] = link; }

  /// Whether the link of a port is always that of its wire, and carries whole packets only.
  bool are_plain() const { return plain_; }
  /// When a packet arrives that begins then, and whose own time on the link of the port is `time`.
  Picoseconds arrival(std::uint32_t port, const LinkRules& link, Picoseconds begins, Picoseconds time,
                      std::uint16_t bytes) const {
    const Picoseconds arrival = begins + link.delay + time;
    if (link.passes_through) return arrival - time;
    if (rules_.cut_through && cuts_through(layout_.wires[port].node, link))
      return arrival - (time - link.time(std::min(bytes, rules_.header_bytes)));
    return arrival;
  }

  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, now_);
    keep_all(now_, [this](std::uint16_t link) { return link < layout_.links.size(); });
  }

 private:
  /// Of each node, the time of a byte on the fastest link that its ports may send on to.
  void find_fastest() {
    for (const Node& node : layout_.nodes) {
      std::optional<wiring::ByteTime> fastest;
      for (std::uint32_t port = node.first_port; port < node.first_port + node.ports; ++port) {
        const LinkRules& link = layout_.link_of(port);
        if (!link.passes_through)
          fastest = std::min(fastest.value_or(link.picoseconds_per_byte), link.picoseconds_per_byte);
      }
      fastest_.push_back(fastest.value_or(wiring::ByteTime(0)));
    }
  }
  /// A faster link than the one by which a packet comes would run out of bits.
  bool cuts_through(std::uint32_t node, const LinkRules& from) const {
    return !layout_.nodes[node].hosts && from.picoseconds_per_byte <= fastest_[node];
  }

  const Layout& layout_;
  const QueueRules& rules_;
  bool plain_ = true;
  std::vector<std::uint16_t> now_;         // of each port, in Layout::links; empty: none changes
  std::vector<wiring::ByteTime> fastest_;  // of every node, with cut-through
};

}  // namespace trainyard::packet
