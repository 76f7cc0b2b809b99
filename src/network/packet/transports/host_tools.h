// What transports share: making packets, taking turns between flows, timers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "base/huge_pages.h"
#include "base/mixing.h"
#include "base/prefetch.h"
#include "network/packet/fifo.h"
#include "network/packet/packet.h"
#include "network/packet/sequence_set.h"
#include "network/packet/transports/messages.h"
#include "network/wiring/layout.h"
#include "network/wiring/paths.h"
#include "trainyard/flow.h"

namespace trainyard::packet {

struct Sizes {
  std::uint16_t payload_bytes = 4096;  // of a full data packet
  std::uint16_t header_bytes = 0;      // on top of it
  std::uint16_t control_bytes = 64;    // of everything else
  std::uint8_t ack_priority = kControlPriority;
};

/// Makes the packets of flows.
class Packets {
 public:
  Packets(const Layout& layout, const Sizes& sizes, const std::vector<Flow>& flows, const Messages& messages)
      : sizes_(sizes), flows_(flows), messages_(messages) {
    facts_.reserve(flows.size());
    for (std::uint32_t f = 0; f < flows.size(); ++f) facts_.push_back(facts_of(layout, f));
  }

  /// Of all messages that a flow's connection will ever carry.
  std::uint32_t count(std::uint32_t flow) const { return facts_[flow].packets; }
  /// The last packet of a flow carries what is left.
  std::uint16_t payload(std::uint32_t flow, std::uint32_t sequence) const {
    if (messages_.any()) return payload_of_message(flow, sequence);
    const Facts& facts = facts_[flow];
    return sequence + 1 == facts.packets ? facts.last_payload : sizes_.payload_bytes;
  }
  /// Fetches what packets of a flow are made of.
  void prefetch(std::uint32_t flow) const { prefetch_line(&facts_[flow]); }
  std::uint16_t bytes(std::uint32_t flow, std::uint32_t sequence) const {
    return static_cast<std::uint16_t>(payload(flow, sequence) + sizes_.header_bytes);
  }
  std::uint32_t full_payload_bytes() const { return sizes_.payload_bytes; }
  std::uint32_t full_bytes() const { return std::uint32_t{sizes_.payload_bytes} + sizes_.header_bytes; }

  template <class P>
  P data(std::uint32_t flow, std::uint32_t sequence) const {
    P packet;
    make_data(packet, flow, sequence);
    return packet;
  }
  /// The same where it will stand: a processor that copies what has just been put together, waits.
  template <class P>
  [[gnu::always_inline]] void make_data(P& packet, std::uint32_t flow, std::uint32_t sequence) const {
    address(packet, flow, facts_[flow].to, sequence);
    packet.kind = PacketKind::data;
    packet.priority = facts_[flow].priority;
    packet.bytes = bytes(flow, sequence);
  }
  /// To the receiver, or back to the sender.
  template <class P>
  P control(std::uint32_t flow, PacketKind kind, std::uint32_t sequence, bool back) const {
    P packet;
    address(packet, flow, back ? facts_[flow].from : facts_[flow].to, sequence);
    packet.kind = kind;
    packet.priority = sizes_.ack_priority;
    packet.bytes = sizes_.control_bytes;
    return packet;
  }

 private:
  /// What every packet of a flow is made of: of all flows beside each other, as Flow is most of a cache line.
  struct Facts {
    std::uint32_t from = 0;  // addresses
    std::uint32_t to = 0;
    std::uint32_t packets = 0;
    std::uint16_t last_payload = 0;
    std::uint8_t priority = kDataPriority;
  };

  Facts facts_of(const Layout& layout, std::uint32_t f) const {
    const Flow& flow = flows_[f];
    Facts out;
    out.from = layout.address_of_host[flow.from];
    out.to = layout.address_of_host[flow.to];
    const std::uint64_t packets = (flow.bytes + sizes_.payload_bytes - 1) / sizes_.payload_bytes;
    out.packets = messages_.any() ? messages_.packets(f) : static_cast<std::uint32_t>(packets);
    if (packets > 0)
      out.last_payload = static_cast<std::uint16_t>(flow.bytes - (packets - 1) * sizes_.payload_bytes);
    out.priority = flow.priority;
    return out;
  }
  std::uint16_t payload_of_message(std::uint32_t connection, std::uint32_t sequence) const {
    const std::uint32_t flow = messages_.message_of(connection, sequence);
    const std::uint64_t sent = std::uint64_t{sequence - messages_.begin(flow)} * sizes_.payload_bytes;
    return static_cast<std::uint16_t>(
        std::min<std::uint64_t>(sizes_.payload_bytes, flows_[flow].bytes - sent));
  }
  /// Of a packet that is as it is made.
  template <class P>
  void address(P& packet, std::uint32_t flow, std::uint32_t to, std::uint32_t sequence) const {
    packet.flow = flow;
    packet.sequence = sequence;
    packet.to = to;
  }

  Sizes sizes_;
  const std::vector<Flow>& flows_;
  const Messages& messages_;
  PagedVector<Facts> facts_;  // by flow
};

/// Flows of a host that may send, in turn. Flows that are bound to a plane wait for its port alone. Where any
/// plane takes any flow, one of the first flows is drawn, as many as there are planes: turns of flows and of
/// ports that are both strict go round together, so that each of two flows over two planes would keep to one.
class Turns {
 public:
  Turns(const Layout& layout, bool bound_to_plane, std::uint64_t seed)
      : seed_(mixed(kTurns, seed)),
        planes_(bound_to_plane ? layout.planes : 1),
        drawn_among_(bound_to_plane ? 1 : layout.planes),
        queues_(std::size_t{layout.hosts()} * planes_),
        draws_(drawn_among_ > 1 ? layout.hosts() : 0) {}

  void add(std::uint32_t host, std::uint32_t plane, std::uint32_t flow) { at(host, plane).push_back(flow); }
  /// Takes a flow out of the turns of a plane; whether it was there.
  bool leave(std::uint32_t host, std::uint32_t plane, std::uint32_t flow) {
    return at(host, plane).remove(flow);
  }
  /// Fetches what is first in a host's queues.
  void prefetch(std::uint32_t host) const { queues_[std::size_t{host} * planes_].prefetch(); }
  bool empty(std::uint32_t host, std::uint32_t plane) const { return queues_[index(host, plane)].empty(); }
  /// How many flows wait for a plane of a host.
  std::uint32_t waiting(std::uint32_t host, std::uint32_t plane) const {
    return static_cast<std::uint32_t>(queues_[index(host, plane)].size());
  }
  /// Whether a flow waits in any plane of a host.
  bool any(std::uint32_t host) const {
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      if (!empty(host, plane)) return true;
    }
    return false;
  }
  /// The next flow that the plane can serve, or kNobody.
  template <class Usable>
  std::uint32_t take(std::uint32_t host, std::uint32_t plane, const Usable& usable) {
    Fifo<std::uint32_t>& queue = at(host, plane);
    if (drawn_among_ > 1 && queue.size() > 1) queue.bring_forward(draw(host, queue.size()));
    for (std::size_t tries = queue.size(); tries > 0; --tries) {
      const std::uint32_t flow = queue.front();
      queue.pop_front();
      if (usable(flow)) return flow;
      queue.push_back(flow);
    }
    return kNobody;
  }
  /// Goes through the flows in turn until `send(flow)` has made a packet; whether one has.
  template <class Usable, class Send>
  bool serve(std::uint32_t host, std::uint32_t plane, const Usable& usable, const Send& send) {
    while (!empty(host, plane)) {
      const std::uint32_t flow = take(host, plane, usable);
      if (flow == kNobody) return false;
      if (send(flow)) return true;
    }
    return false;
  }
  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, queues_, draws_);
  }
  /// Whether `sends(host, flow)` holds for all of them.
  template <class Sends>
  bool all(const Sends& sends) const {
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      for (const std::uint32_t flow : queues_[q]) {
        if (!sends(static_cast<std::uint32_t>(q / planes_), flow)) return false;
      }
    }
    return true;
  }

 private:
  std::size_t index(std::uint32_t host, std::uint32_t plane) const {
    return std::size_t{host} * planes_ + (planes_ == 1 ? 0 : plane);
  }
  Fifo<std::uint32_t>& at(std::uint32_t host, std::uint32_t plane) { return queues_[index(host, plane)]; }
  std::uint32_t draw(std::uint32_t host, std::size_t waiting) {
    const std::size_t among = std::min<std::size_t>(drawn_among_, waiting);
    return below(mixed(mixed(seed_, host), draws_[host]++), static_cast<std::uint32_t>(among));
  }

  static constexpr std::uint64_t kTurns = 0x7475726e73;  // what is drawn

  std::uint64_t seed_;
  std::uint32_t planes_;
  std::uint32_t drawn_among_;
  PagedVector<Fifo<std::uint32_t>> queues_;
  PagedVector<std::uint32_t> draws_;  // by host
};

/// After a silence: a flow that is in the turns may wait for a plane that is down. One that is bound to a
/// plane leaves the turns of that one, `leave(plane)`, if it has another; else the ports ask anew for what
/// waits.
template <class Context, class Sender, class Leave>
void wait_anew(Context& context, const Paths& paths, std::uint32_t flow, Sender& sender, const Leave& leave) {
  if (!sender.listed) return;
  if (paths.is_bound_to_live_plane(flow)) {
    for (std::uint32_t plane = 0; plane < paths.planes(); ++plane) {
      if (paths.usable(plane)(flow) || !leave(plane)) continue;
      sender.listed = false;
      return;
    }
  }
  context.ready();
}
template <class Context, class Sender>
void wait_anew(Context& context, const Paths& paths, std::uint32_t flow, Sender& sender, Turns& turns) {
  wait_anew(context, paths, flow, sender,
            [&](std::uint32_t plane) { return turns.leave(context.host(), plane, flow); });
}

/// Times at which something of a flow of one host is due; each flow has one entry, which may come too early.
class Timers {
 public:
  void add(Picoseconds time, std::uint32_t flow) { heap_.push({time, flow}); }
  Picoseconds next() const { return heap_.empty() ? kNever : heap_.top().first; }
  bool due(Picoseconds now) const { return next() <= now; }
  void prefetch() const {
    if (!heap_.empty()) prefetch_line(&heap_.top());
  }
  std::uint32_t take() {
    const std::uint32_t flow = heap_.top().second;
    heap_.pop();
    return flow;
  }
  /// Calls `late(flow)` for those whose `deadline(flow)` has passed. kNever: `left(flow)`, it has no entry
  /// any more.
  template <class Deadline, class Late, class Left>
  void run(Picoseconds now, const Deadline& deadline, const Late& late, const Left& left) {
    while (due(now)) {
      const std::uint32_t flow = take();
      if (deadline(flow) == kNever) {
        left(flow);
        continue;
      }
      if (deadline(flow) <= now) late(flow);
      add(deadline(flow), flow);
    }
  }
  template <class Deadline, class Late>
  void run(Picoseconds now, const Deadline& deadline, const Late& late) {
    run(now, deadline, late, [](std::uint32_t) {});
  }
  template <class Archive>
  void serialize(Archive& a) {
    a(heap_);
  }
  /// Whether `holds(flow)` for all of them.
  template <class Holds>
  bool all(const Holds& holds) const {
    for (auto left = heap_; !left.empty(); left.pop()) {
      if (!is_time(left.top().first) || !holds(left.top().second)) return false;
    }
    return true;
  }

 private:
  using Entry = std::pair<Picoseconds, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

/// Sends a packet that waits for no turn by the plane and the way that are next, which it is given.
template <class Context, class P>
void send_at_once(Context& context, Paths& paths, P& packet, bool back, Paths::State& state) {
  const std::uint32_t plane = paths.next_plane(packet.flow, back, state);
  paths.choose(packet, context.host(), plane, back, context.now(), state);
  context.send(packet, plane);
}
template <class Context, class P>
void send_at_once(Context& context, Paths& paths, const P& packet, bool back, Paths::State& state) {
  P sent = packet;
  send_at_once(context, paths, sent, back, state);
}

/// A cut speaks against the packet's way, unless it was for the receiver's own link, which all ways share.
inline void judge_way_of_cut(Paths& paths, const Packet& report, std::uint32_t way) {
  if ((report.marks & Packet::kCutAtEnd) == 0) return paths.cut(report.flow, way);
  paths.arrived(report.flow, way, report.congested());
}

/// Takes away what has arrived meanwhile: the first of the repeats is always one that is still needed.
template <class Repeats>
void forget_repeats(Repeats& repeats, const SequenceSet& acknowledged) {
  while (!repeats.empty() && acknowledged.has(repeats.front())) repeats.pop_front();
}

/// Memory of a table, and of what its rows hold elsewhere: row.bytes(), where there is such a thing.
template <class Rows>
std::size_t table_bytes(const Rows& rows) {
  using Row = typename Rows::value_type;
  std::size_t sum = rows.capacity() * sizeof(Row);
  if constexpr (requires(const Row& row) { row.bytes(); }) {
    for (const Row& row : rows) sum += row.bytes();
  }
  return sum;
}

}  // namespace trainyard::packet
