// All output ports of a network: departures, queues, and the packets in flight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/packet/queueing.h"
#include "network/packet/worker.h"
#include "network/wiring/faults.h"
#include "network/wiring/layout.h"
#include "trainyard/flow.h"

namespace trainyard::packet {

/// P is the transport's packet: Packet or derived from it. One that has `record(time, queue_bytes,
/// sent_bytes, picoseconds_per_byte)` is told at every switch that it leaves (in-band telemetry).
template <class P>
class Ports {
 public:
  Ports(const Layout& of, const QueueRules& by, std::uint32_t priorities, std::uint32_t largest_bytes)
      : layout(of),
        rules(by),
        window_length(of.shortest_delay()),
        slots(slots_for(of, largest_bytes)),
        ports(of.wires.size()),
        slabs(of.nodes.size()),
        priorities_(priorities),
        largest_bytes_(std::max<std::uint32_t>(largest_bytes, kLargestControl)),
        lists_(of.wires.size() * priorities),
        corrupts_(rules.lost_below > 0) {
    for (const LinkRules& link : of.links) corrupts_ |= link.bit_error_rate > 0;
  }

  Queue<P> queue(std::uint32_t node, std::uint32_t port) {
    return {ports[port], &lists_[std::size_t{port} * priorities_], slabs[node]};
  }

  /// A packet leaves a port; its last bit arrives after its own time and the delay.
  void depart(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index, Picoseconds begins, P packet) {
    const bool arrives = transmit(worker.counters, node, port_index, begins, packet);
    if (traced(packet)) {
      note(worker, begins, node, port_index, packet, TraceEvent::left);
      if (!arrives) note(worker, begins, node, port_index, packet, TraceEvent::lost);
    }
    if (arrives) worker.inboxes.put(slot_of(packet.arrival), layout.wires[port_index].node, packet);
  }

  /// Occupies the port and sets when and where the packet arrives; false when it is lost on the way.
  bool transmit(Counters& counters, std::uint32_t node, std::uint32_t port_index, Picoseconds begins,
                P& packet) {
    const Wire& wire = layout.wires[port_index];
    const LinkRules& link = layout.links[wire.link];
    Port& port = ports[port_index];
    const Picoseconds time = link.time(packet.bytes);
    if constexpr (requires { packet.record(begins, std::uint64_t{}, std::uint64_t{}, std::uint64_t{}); }) {
      if (!layout.nodes[node].hosts && packet.kind == PacketKind::data)
        packet.record(begins, port.data_bytes, port.sent_bytes, link.picoseconds_per_byte);
    }
    port.free_at = begins + time;
    port.sent_bytes += packet.bytes;
    ++counters.hops;
    packet.arrival = begins + link.delay + time;
    if (rules.cut_through && !layout.nodes[wire.node].hosts)
      packet.arrival -= time - link.time(std::min(packet.bytes, rules.header_bytes));
    packet.in_port = wire.in_port;
    if (packet.kind == PacketKind::pause) return true;  // guarded by the link itself
    if (!port.down && !(corrupts_ && is_corrupted(packet, port_index))) return true;
    ++counters.corrupted;
    return false;
  }

  /// Serves the packet that is next, at the time at which the port is free.
  P take(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index) {
    --worker.waiting;
    return take(worker.counters, node, port_index);
  }
  P take(Counters& counters, std::uint32_t node, std::uint32_t port_index) {
    Queue<P> from = queue(node, port_index);
    P packet = from.take();
    if (rules.mark_leaving && rules.marks() && !layout.nodes[node].hosts)
      mark(packet, from.port.data_bytes, rules, counters);
    return packet;
  }

  /// Fetches what a port serves first.
  void prefetch(std::uint32_t node, std::uint32_t port_index) {
    const Port& port = ports[port_index];
    if (port.runnable())
      slabs[node].prefetch(lists_[std::size_t{port_index} * priorities_ + port.next_priority()].head);
  }

  /// Serves what waits while service begins no later than `until`.
  [[gnu::always_inline]] void serve(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index,
                                    Picoseconds until) {
    Port& port = ports[port_index];
    while (port.free_at <= until && port.waiting != 0)
      depart(worker, node, port_index, port.free_at, take(worker, node, port_index));
  }

  /// A packet that has to wait at a switch; at most `limit` bytes of data do.
  void wait(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index, const P& packet,
            std::uint64_t limit) {
    if (admit_traced(worker, queue(node, port_index), node, port_index, packet, limit)) ++worker.waiting;
  }

  /// Admits a packet to a queue, and notes it for this port; whether something waits that did not before.
  bool admit_traced(Worker<P>& worker, Queue<P> to, std::uint32_t node, std::uint32_t port_index,
                    const P& packet, std::uint64_t limit) {
    const std::uint64_t before = worker.counters.drops;
    const std::uint64_t trims = worker.counters.trims;
    admit(to, packet, limit, rules, worker.counters);
    const bool dropped = worker.counters.drops != before;
    if (traced(packet)) {
      const bool cut = worker.counters.trims != trims;
      note(worker, packet.arrival, node, port_index, packet,
           dropped ? TraceEvent::dropped
           : cut   ? TraceEvent::cut
                   : TraceEvent::queued);
    }
    return !dropped;
  }

  /// Stops the sender of such a packet, or lets it go on; whether the frame has to wait.
  bool send_pause(Worker<P>& worker, std::uint32_t node, const P& about, bool stop, Picoseconds now) {
    P frame = pause_frame<P>(about.priority, stop, rules.pause_bytes);
    frame.arrival = now;
    const std::uint32_t index = layout.nodes[node].first_port + about.in_port;
    const Port& out = ports[index];
    const bool waits = out.free_at > now || out.waiting != 0;
    if (waits) {
      keep(worker, node, index, frame);
    } else {
      depart(worker, node, index, now, frame);
    }
    return waits;
  }

  /// A packet that has to wait in a host, whose memory has no limit.
  void keep(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index, const P& packet) {
    queue(node, port_index).append(packet);
    ++worker.waiting;
  }

  bool traced(const Packet& packet) const {
    return !traced_flows.empty() && packet.kind != PacketKind::pause && traced_flows[packet.flow] != 0;
  }
  void note(Worker<P>& worker, Picoseconds time, std::uint32_t node, std::uint32_t port, const Packet& packet,
            TraceEvent event) const {
    worker.trace.push_back({time, node, port - layout.nodes[node].first_port, packet.flow, packet.sequence,
                            packet.bytes, packet.kind, event});
  }

  std::size_t bytes() const {
    std::size_t sum = ports.capacity() * sizeof(Port) + lists_.capacity() * sizeof(List);
    for (const Slab<P>& slab : slabs) sum += slab.bytes();
    return sum;
  }

  /// All that changes in a run, for checkpoints: queues as lists of packets, wherever they stand in memory.
  template <class Archive>
  void serialize(Archive& a) {
    a(window, slot);
    keep_bounds(slot < slots && window % window_length == 0 && window < kFarthest);
    serialize_tables(a, ports);
    for (std::uint32_t n = 0; n < layout.nodes.size(); ++n) {
      for (std::uint32_t p = 0; p < layout.nodes[n].ports; ++p)
        queue(n, layout.nodes[n].first_port + p).serialize(a, priorities_);
    }
  }

  /// Calls visit(node, port, packet) for all that waits.
  template <class Visit>
  void each_waiting(const Visit& visit) {
    for (std::uint32_t n = 0; n < layout.nodes.size(); ++n) {
      const Node& node = layout.nodes[n];
      for (std::uint32_t p = node.first_port; p < node.first_port + node.ports; ++p)
        queue(n, p).each(priorities_, [&](const P& packet) { visit(n, p, packet); });
    }
  }
  /// Whether a restored port can go on: without flow control nothing is paused.
  bool in_bounds(const Port& port) const {
    return is_time(port.free_at) && port.paused_since < kFarthest && !port.scheduled &&
           (rules.pauses() || port.paused == 0);
  }

  /// Whether a packet that waits at a node, or is on its way there, can be handled.
  bool fits(std::uint32_t n, const P& packet, const std::vector<Flow>& flows) const {
    const Node& node = layout.nodes[n];
    if (packet.priority >= priorities_ || packet.in_port >= node.ports || packet.bytes == 0) return false;
    if (packet.kind == PacketKind::pause)
      return rules.pauses() && packet.priority == kLinkPriority && packet.sequence < priorities_;
    if (packet.flow >= flows.size() || packet.bytes > largest_bytes_) return false;
    if constexpr (requires { packet.sent; }) {
      if (!is_past(packet.sent, window)) return false;
    }
    if constexpr (requires { packet.data_up_leaf; }) {
      if (!is_way(packet.data_up_leaf, packet.data_up_aggregation)) return false;
    }
    if constexpr (requires { packet.in_bounds(); }) {
      if (!packet.in_bounds()) return false;
    }
    return is_to_its_end(packet, flows[packet.flow]) && is_way(packet.up_leaf, packet.up_aggregation);
  }
  /// Data goes to the receiver of its flow, what answers it to the sender.
  bool is_to_its_end(const P& packet, const Flow& flow) const {
    const bool to_sender = packet.to == layout.address_of_host[flow.from];
    const bool to_receiver = packet.to == layout.address_of_host[flow.to];
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
  /// Whether a packet that comes in there is at its goal, where the node is one of hosts.
  bool is_at_goal(std::uint32_t n, std::uint32_t in_port, const P& packet) const {
    if (!layout.nodes[n].hosts || packet.kind == PacketKind::pause) return true;
    return packet.to == address(n, in_port / layout.planes);
  }
  bool is_way(std::uint32_t up_leaf, std::uint32_t up_aggregation) const {
    return up_leaf < std::max(1U, layout.uplinks_leaf) &&
           up_aggregation < std::max(1U, layout.uplinks_aggregation);
  }
  /// Whether that is the slot of such an arrival.
  bool is_slot(std::size_t wanted, Picoseconds arrival) const {
    if (arrival < window || (arrival - window) / window_length >= slots) return false;
    return wanted == (slot + (arrival - window) / window_length) % slots;
  }

  const Layout& layout;
  const QueueRules rules;
  const Picoseconds window_length;
  const std::size_t slots;
  Picoseconds window = 0;  // its begin
  std::size_t slot = 0;
  std::vector<Port> ports;
  std::vector<Slab<P>> slabs;
  std::vector<char> traced_flows;  // by flow; empty: none

 private:
  static constexpr std::size_t kFewSlots = 16;
  static constexpr std::uint32_t kLargestControl = 1024;  // of simulation.control_packet

  static std::size_t slots_for(const Layout& of, std::uint32_t largest_bytes) {
    Picoseconds longest = 0;
    for (const LinkRules& link : of.links) longest = std::max(longest, link.delay + link.time(largest_bytes));
    return static_cast<std::size_t>(longest / of.shortest_delay()) + 2;
  }

  std::size_t slot_of(Picoseconds arrival) const {
    if (slots > kFewSlots) return (slot + (arrival - window) / window_length) % slots;
    std::size_t at = slot;
    for (Picoseconds end = window + window_length; arrival >= end; end += window_length)
      at = at + 1 == slots ? 0 : at + 1;
    return at;
  }

  bool is_corrupted(const P& packet, std::uint32_t port) const {
    const std::uint64_t random = mixed((std::uint64_t{packet.flow} << 32U) | packet.sequence,
                                       packet.arrival ^ (std::uint64_t{port} << 40U));
    if (random < rules.lost_below) return true;
    const LinkRules& link = layout.link_of(port);
    return link.bit_error_rate > 0 && static_cast<double>(mixed(random, link.error_seed)) <
                                          0x1p64 * loss_probability(link.bit_error_rate, packet.bytes);
  }

  std::uint32_t priorities_;
  std::uint32_t largest_bytes_;
  std::vector<List> lists_;  // of every port
  bool corrupts_;
};

}  // namespace trainyard::packet
