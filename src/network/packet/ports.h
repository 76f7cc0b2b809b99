// All output ports of a network: departures, queues, and the packets in flight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/packet/flow_control.h"
#include "network/packet/queueing.h"
#include "network/packet/windows.h"
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
        windows(of, largest_bytes),
        ports(of.wires.size()),
        slabs(of.nodes.size()),
        priorities_(priorities),
        lists_(of.wires.size() * priorities),
        corrupts_(rules.lost_below > 0) {
    for (const LinkRules& link : of.links) corrupts_ |= link.bit_error_rate > 0;
  }

  /// The link of a port, as failures leave it now.
  const LinkRules& link_of(std::uint32_t port) const {
    return links_now.empty() ? layout.link_of(port) : layout.links[links_now[port]];
  }
  /// Links may change while the run lasts.
  void follow_links() {
    links_now.reserve(layout.wires.size());
    for (const Wire& wire : layout.wires) links_now.push_back(wire.link);
  }
  /// How many bytes of data may wait at a port.
  std::uint64_t room(std::uint32_t port) const {
    return layout.queue_bytes.empty() ? rules.data_bytes : layout.queue_bytes[port];
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
    if (arrives) worker.inboxes.put(windows.slot_of(packet.arrival), layout.wires[port_index].node, packet);
  }

  /// Occupies the port and sets when and where the packet arrives; false when it is lost on the way.
  bool transmit(Counters& counters, std::uint32_t node, std::uint32_t port_index, Picoseconds begins,
                P& packet) {
    const Wire& wire = layout.wires[port_index];
    const LinkRules& link = link_of(port_index);
    Port& port = ports[port_index];
    const Picoseconds time = link.time(packet.bytes);
    if constexpr (requires { packet.record(begins, std::uint64_t{}, std::uint64_t{}, float{}); }) {
      if (!layout.nodes[node].hosts && packet.kind == PacketKind::data)
        packet.record(begins, port.data_bytes, port.sent_bytes,
                      static_cast<float>(static_cast<double>(link.picoseconds_per_byte)));
    }
    port.free_at = begins + time;
    port.sent_bytes += packet.bytes;
    ++counters.hops;
    packet.arrival = begins + link.delay + time;
    if (link.passes_through) {
      packet.arrival -= time;
    } else if (rules.cut_through && !layout.nodes[wire.node].hosts) {
      packet.arrival -= time - link.time(std::min(packet.bytes, rules.header_bytes));
    }
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
    admit(to, packet, limit, rules, worker.counters,
          [&] { return layout.nodes[layout.wires[port_index].node].hosts; });
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
    a(windows);
    serialize_tables(a, ports, links_now);
    keep_all(links_now, [this](std::uint16_t link) { return link < layout.links.size(); });
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
  std::uint32_t priorities() const { return priorities_; }

  const Layout& layout;
  const QueueRules rules;
  Windows windows;
  std::vector<Port> ports;
  std::vector<Slab<P>> slabs;
  std::vector<char> traced_flows;        // by flow; empty: none
  std::vector<std::uint16_t> links_now;  // of each port, in Layout::links; empty: none changes

 private:
  bool is_corrupted(const P& packet, std::uint32_t port) const {
    const std::uint64_t random = mixed((std::uint64_t{packet.flow} << 32U) | packet.sequence,
                                       packet.arrival ^ (std::uint64_t{port} << 40U));
    if (random < rules.lost_below) return true;
    const LinkRules& link = link_of(port);
    return link.bit_error_rate > 0 && static_cast<double>(mixed(random, link.error_seed)) <
                                          0x1p64 * loss_probability(link.bit_error_rate, packet.bytes);
  }

  std::uint32_t priorities_;
  std::vector<List> lists_;  // of every port
  bool corrupts_;
};

}  // namespace trainyard::packet
