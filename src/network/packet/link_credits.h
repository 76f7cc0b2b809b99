// Credit-based flow control of links (UE 1.0, section 5.2): a sender takes what a packet needs of the buffer
// behind the link, and stops a priority that could not take a largest packet more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/packet/flow_control.h"
#include "network/packet/port_links.h"
#include "network/packet/queueing.h"

namespace trainyard::packet {

class LinkCredits {
 public:
  LinkCredits(const Layout& layout, const QueueRules& rules, const PortLinks& links, std::uint32_t priorities,
              std::uint32_t largest_bytes)
      : layout_(layout),
        rules_(rules),
        links_(links),
        priorities_(priorities),
        largest_bytes_(largest_bytes),
        spent_(rules.credits() ? layout.wires.size() * priorities : 0, 0) {}

  bool takes(const Packet& packet) const { return rules_.credits() && packet.priority >= kDataPriority; }
  /// A packet that takes credit leaves a port.
  void spend(Port& port, std::uint32_t port_index, const Packet& packet, Picoseconds begins) {
    std::uint32_t& spent = spent_of(port_index, packet.priority);
    spent += packet.bytes;
    if (is_spent(spent) && (port.paused >> packet.priority & 1U) == 0) stop(port, packet.priority, begins);
  }
  /// The buffer behind a link has room again; whether the port may go on.
  bool regain(Counters& counters, Port& port, std::uint32_t port_index, const Packet& frame) {
    const std::uint32_t priority = credit_priority(frame);
    std::uint32_t& spent = spent_of(port_index, priority);
    spent -= std::min(spent, credit_bytes(frame));
    if ((port.paused >> priority & 1U) == 0 || is_spent(spent)) return false;
    let_go(port, priority, frame.arrival, counters);
    return true;
  }
  /// A packet has left the buffer behind the link by which it came in at a port: its sender knows when an
  /// ordered set and the link's delay have passed.
  template <class P>
  P frame_for(std::uint32_t in_port_index, const P& about, Picoseconds now) const {
    P frame = credit_frame<P>(about.priority, about.bytes);
    const LinkRules& link = links_.of(in_port_index);
    frame.arrival = now + link.delay + link.time(kOrderedSetBytes);
    frame.in_port = layout_.wires[in_port_index].in_port;
    return frame;
  }

  std::size_t bytes() const { return spent_.capacity() * sizeof(std::uint32_t); }
  template <class Archive>
  void serialize(Archive& a) {
    if (rules_.credits()) serialize_tables(a, spent_);
  }
  /// Whether ports are stopped where their restored credits are spent, and there alone.
  template <class Ports>
  bool in_bounds(const Ports& ports) const {
    for (std::size_t i = 0; i < spent_.size(); ++i) {
      const bool stopped = (ports[i / priorities_].paused >> i % priorities_ & 1U) != 0;
      if (spent_[i] > rules_.credit_bytes || stopped != is_spent(spent_[i])) return false;
    }
    return true;
  }

 private:
  std::uint32_t& spent_of(std::uint32_t port_index, std::uint32_t priority) {
    return spent_[std::size_t{port_index} * priorities_ + priority];
  }
  bool is_spent(std::uint32_t spent) const { return spent + largest_bytes_ > rules_.credit_bytes; }

  const Layout& layout_;
  const QueueRules& rules_;
  const PortLinks& links_;
  std::uint32_t priorities_;
  std::uint32_t largest_bytes_;
  std::vector<std::uint32_t> spent_;  // of every port and priority
};

}  // namespace trainyard::packet
