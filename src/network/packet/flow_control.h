// Flow control of links: pause frames (IEEE 802.1Qbb) with what waits behind the ports by which it came in,
// and credits (UE 1.0).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "base/huge_pages.h"
#include "base/prefetch.h"
#include "network/packet/queueing.h"
#include "network/packet/run_outcome.h"
#include "network/wiring/layout.h"

namespace trainyard::packet {

/// The frame that stops a priority of the link, or lets it go on.
template <class P>
P pause_frame(std::uint8_t priority, bool stop, std::uint16_t bytes) {
  P frame;
  frame.kind = PacketKind::pause;
  frame.priority = kLinkPriority;
  frame.sequence = priority;
  frame.marks = stop ? 1 : 0;
  frame.bytes = bytes;
  return frame;
}

/// A control ordered set, which a link sends between its packets: a block of 64 bits.
constexpr std::uint16_t kOrderedSetBytes = 8;
/// In the marks of a frame that returns credit.
constexpr std::uint8_t kCredit = 2;

/// Gives back what a packet took of the buffer behind a link.
template <class P>
P credit_frame(std::uint8_t priority, std::uint16_t bytes) {
  P frame = pause_frame<P>(priority, false, kOrderedSetBytes);
  frame.sequence |= std::uint32_t{bytes} << 8U;
  frame.marks = kCredit;
  return frame;
}
inline std::uint32_t credit_priority(const Packet& frame) { return frame.sequence & 0xFFU; }
inline std::uint32_t credit_bytes(const Packet& frame) { return frame.sequence >> 8U; }

/// A priority of a port may not send from now on.
inline void stop(Port& port, std::uint32_t priority, Picoseconds now) {
  if (port.paused == 0) port.paused_since = now;
  port.paused = static_cast<std::uint16_t>(port.paused | 1U << priority);
}
/// It may again.
inline void let_go(Port& port, std::uint32_t priority, Picoseconds now, Counters& counters) {
  const bool was = port.paused != 0;
  const bool waits = (port.waiting & port.paused) != 0 || port.ready;
  port.paused = static_cast<std::uint16_t>(port.paused & ~(1U << priority));
  if (was && port.paused == 0) {
    const Picoseconds took = now - std::min(now, port.paused_since);
    counters.paused += took;
    if (waits) counters.blocked += took;
  }
}

/// Obeys a pause frame; returns whether the port may go on with something.
template <class P>
bool obey_pause(Port& port, const P& frame, Counters& counters) {
  if (frame.marks != 0) {
    stop(port, frame.sequence, frame.arrival);
    return false;
  }
  let_go(port, frame.sequence, frame.arrival, counters);
  return true;
}

/// Data that waits, by the input port behind which it does and by priority.
class Ingress {
 public:
  /// `counts`: there is flow control; else nothing may be entered.
  Ingress(const Layout& layout, const QueueRules& rules, std::uint32_t priorities, bool counts)
      : rules_(rules), ports_(layout.wires.size()), priorities_(priorities) {
    if (counts) behind_.resize(ports_ * priorities);
  }

  /// More of a packet's kind waits at a node; whether the other end has to stop.
  bool enter(const Node& node, const Packet& packet, std::uint64_t bytes) {
    Behind& behind = behind_[index(node, packet)];
    behind.bytes += bytes;
    if (behind.stopped || behind.bytes <= rules_.pause_above) return false;
    behind.stopped = true;
    return true;
  }
  /// A packet waits no longer; whether the other end may go on.
  bool leave(const Node& node, const Packet& packet) {
    Behind& behind = behind_[index(node, packet)];
    behind.bytes -= packet.bytes;
    if (!behind.stopped || behind.bytes >= rules_.resume_below) return false;
    behind.stopped = false;
    return true;
  }
  /// The same while nobody is stopped: counts a packet unless the other end would have to stop for it.
  bool enter_calmly(const Node& node, const Packet& packet) {
    std::uint64_t& bytes = behind_[index(node, packet)].bytes;
    if (bytes + packet.bytes > rules_.pause_above) return false;
    bytes += packet.bytes;
    return true;
  }
  void leave_calmly(const Node& node, const Packet& packet) {
    behind_[index(node, packet)].bytes -= packet.bytes;
  }
  /// Fetches what is known of a packet's kind.
  void prefetch(const Node& node, const Packet& packet) const {
    if (!behind_.empty()) prefetch_line(&behind_[index(node, packet)]);
  }
  /// Kinds that have been stopped at the other end of a port.
  std::uint32_t stopped(std::uint32_t port) const {
    std::uint32_t out = 0;
    for (std::uint32_t priority = 0; priority < priorities_; ++priority)
      out += behind_[place(port, priority)].stopped ? 1U : 0U;
    return out;
  }
  /// Whether a packet finds the headroom behind a pause used up: then flow control was set up wrongly.
  bool overflows(const Node& node, const Packet& packet) const {
    return behind_[index(node, packet)].bytes + packet.bytes > rules_.pause_above + rules_.headroom_bytes;
  }

  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, behind_);
  }
  /// Adds up the packets of a restored state: bytes have to be those.
  class Sum {
   public:
    explicit Sum(const Ingress& of) : of_(of), bytes_(of.behind_.size(), 0) {}
    void add(const Node& node, const Packet& packet) {
      if (!bytes_.empty()) bytes_[of_.index(node, packet)] += packet.bytes;
    }
    bool holds() const {
      for (std::size_t i = 0; i < bytes_.size(); ++i) {
        if (of_.behind_[i].bytes != bytes_[i]) return false;
      }
      return true;
    }

   private:
    const Ingress& of_;
    std::vector<std::uint64_t> bytes_;
  };

 private:
  struct Behind {
    std::uint64_t bytes = 0;
    bool stopped = false;  // the other end has been asked to pause

    template <class Archive>
    void serialize(Archive& a) {
      a(bytes, stopped);
    }
  };

  /// Ports of one priority beside each other: most that is sent has one.
  std::size_t place(std::size_t port, std::size_t priority) const { return priority * ports_ + port; }
  std::size_t index(const Node& node, const Packet& packet) const {
    return place(node.first_port + packet.in_port, packet.priority);
  }

  const QueueRules& rules_;
  std::size_t ports_;
  std::uint32_t priorities_;
  PagedVector<Behind> behind_;  // by priority and port
};

}  // namespace trainyard::packet
