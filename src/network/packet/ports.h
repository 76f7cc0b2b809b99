// All output ports of a network: departures, queues, and the packets in flight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"
#include "base/prefetch.h"
#include "network/packet/flow_control.h"
#include "network/packet/link_credits.h"
#include "network/packet/link_guard.h"
#include "network/packet/port_links.h"
#include "network/packet/port_watches.h"
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
        windows(of, largest_bytes, by.link_retry || by.credits() || by.sum_delay > 0),
        links(of, rules),
        watches(of),
        ports(of.wires.size()),
        slabs(of.nodes.size()),
        priorities_(priorities),
        lists_(of.wires.size() * other_lists(priorities)),
        guard_(of, rules, links),
        credits_(of, rules, links, priorities, largest_bytes),
        longest_packet_(of.longest_time(largest_bytes)),
        worth_fetching_(std::clamp<std::uint64_t>(windows.length() / longest_packet_, 1, 3)) {
    find_whether_plain();
  }
  Ports(const Ports&) = delete;
  Ports& operator=(const Ports&) = delete;

  /// Links may change while the run lasts.
  void follow_links() {
    links.follow();
    find_whether_plain();
  }
  void trace(const std::vector<char>& flows) {
    watches.trace(flows);
    find_whether_plain();
  }
  void watch(const std::vector<Probe>& probes) {
    watches.follow(probes);
    find_whether_plain();
  }

  /// How many bytes of data may wait at a port.
  std::uint64_t room(std::uint32_t port) const {
    return layout.queue_bytes.empty() ? rules.data_bytes : layout.queue_bytes[port];
  }
  Queue<P> queue(std::uint32_t node, std::uint32_t port) { return {ports[port], others(port), slabs[node]}; }

  // Departures.

  /// A packet leaves a port; its last bit arrives after its own time and the delay.
  [[gnu::always_inline]] void depart(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index,
                                     Picoseconds begins, const P& packet) {
    Port& port = ports[port_index];
    if (!plain_ || port.down) [[unlikely]]
      return depart_guarded(worker, node, port_index, begins, packet);
    const Wire& wire = layout.wires[port_index];
    const LinkRules& link = layout.links[wire.link];
    const Picoseconds time = occupy(worker.counters, port, link, begins, packet.bytes);
    const Picoseconds arrival = begins + link.delay + time;
    // Copied before it is changed: a processor that has to put together what it copies, waits.
    P& sent = worker.inboxes.put(windows.slot_of(arrival), wire.node, packet);
    sent.arrival = arrival;
    sent.in_port = wire.in_port;
    if constexpr (kRecords) record(port, link, node, begins, sent);
  }

  /// Occupies the port and sets when and where the packet arrives; false when it is lost on the way.
  bool transmit(Counters& counters, std::uint32_t node, std::uint32_t port_index, Picoseconds begins,
                P& packet) {
    Port& port = ports[port_index];
    const LinkRules& link = links.of(port_index);
    const Picoseconds time = occupy(counters, port, link, begins, packet.bytes);
    packet.arrival = links.arrival(port_index, link, begins, time, packet.bytes);
    packet.in_port = layout.wires[port_index].in_port;
    if constexpr (kRecords) record(port, link, node, begins, packet);
    if (packet.kind == PacketKind::pause) return true;  // guarded by the link itself
    if (credits_.takes(packet)) credits_.spend(port, port_index, packet, begins);
    const bool arrives = !port.down && guard_.passes(counters, port, port_index, begins, packet);
    if (!arrives) ++counters.corrupted;
    return arrives;
  }

  /// Serves the packet that is next, at the time at which the port is free. It stays where it is until the
  /// next one waits at the node.
  [[gnu::always_inline]] const P& take(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index) {
    --worker.waiting;
    return take(worker.counters, node, port_index);
  }
  [[gnu::always_inline]] const P& take(Counters& counters, std::uint32_t node, std::uint32_t port_index) {
    const Queue<P> from = queue(node, port_index);
    P& packet = from.take();
    if (rules.mark_leaving && rules.marks() && !layout.nodes[node].hosts &&
        (rules.mark_to_hosts || !leads_to_host(port_index))) {
      const bool marked = mark(packet, from.port.data_bytes, rules, counters);
      if (marked && watches.any()) watches.marked(port_index);
    }
    return packet;
  }

  /// Fetches what is known of a port.
  void prefetch_port(std::uint32_t port_index) const {
    prefetch_line(&ports[port_index]);
    prefetch_line(&layout.wires[port_index]);
  }
  /// Fetches what a port serves first in a window.
  void prefetch(std::uint32_t node, std::uint32_t port_index) const {
    const Port& port = ports[port_index];
    if (!port.runnable() || port.free_at >= windows.end()) return;
    const Slab<P>& slab = slabs[node];
    std::uint32_t at = list_of(port, others(port_index), port.next_priority()).head;
    // Where one follows has to be waited for.
    for (std::uint64_t left = worth_fetching_; at != kNobody; at = slab.next(at)) {
      slab.prefetch(at);
      if (--left == 0) break;
    }
  }

  /// Serves what waits while service begins no later than `until`, and calls `left(packet)` for each.
  template <class Left>
  [[gnu::always_inline]] void serve(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index,
                                    Picoseconds until, const Left& left) {
    Port& port = ports[port_index];
    while (port.free_at <= until && port.waiting != 0) {
      const P& packet = take(worker, node, port_index);
      depart(worker, node, port_index, port.free_at, packet);
      left(packet);
    }
  }

  // Arrivals.

  /// A packet that has to wait at a switch; at most `limit` bytes of data do.
  [[gnu::always_inline]] void wait(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index,
                                   const P& packet, std::uint64_t limit) {
    if (admit_traced(worker, queue(node, port_index), node, port_index, packet, limit)) ++worker.waiting;
  }

  /// Admits a packet to a queue, and notes it for this port; whether something waits that did not before.
  [[gnu::always_inline]] bool admit_traced(Worker<P>& worker, const Queue<P>& to, std::uint32_t node,
                                           std::uint32_t port_index, const P& packet, std::uint64_t limit) {
    const Admission of =
        admit(to, packet, limit, rules, worker.counters, [&] { return leads_to_host(port_index); });
    if (watches.any()) {
      const bool own = &to.port == &ports[port_index];
      watches.admitted(worker, own ? &to.port : nullptr, node, port_index, packet, of);
    }
    return !of.dropped;
  }

  /// A packet that has to wait in a host, whose memory has no limit.
  void keep(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index, const P& packet) {
    queue(node, port_index).append(packet);
    ++worker.waiting;
  }

  // Flow control.

  /// A frame that returns credit; whether the port may go on.
  bool regain(Counters& counters, std::uint32_t port_index, const P& frame) {
    return credits_.regain(counters, ports[port_index], port_index, frame);
  }
  /// Obeys a frame of the link's own; whether the port may go on with something.
  bool obey(Counters& counters, std::uint32_t port_index, const P& frame) {
    if (frame.marks == kCredit) return regain(counters, port_index, frame);
    return obey_pause(ports[port_index], frame, counters);
  }
  /// A packet has left the buffer behind the link by which it came to a node.
  void grant(Worker<P>& worker, std::uint32_t node, const P& about, Picoseconds now) {
    if (!credits_.takes(about)) return;
    const std::uint32_t index = back_to(node, about);
    const P frame = credits_.frame_for(index, about, now);
    worker.inboxes.put(windows.slot_of(frame.arrival), layout.wires[index].node, frame);
  }
  /// Stops the sender of such a packet, or lets it go on; whether the frame has to wait.
  bool send_pause(Worker<P>& worker, std::uint32_t node, const P& about, bool stop, Picoseconds now) {
    P frame = pause_frame<P>(about.priority, stop, rules.pause_bytes);
    frame.arrival = now;
    const std::uint32_t index = back_to(node, about);
    const Port& out = ports[index];
    const bool waits = out.free_at > now || out.waiting != 0;
    if (waits) {
      keep(worker, node, index, frame);
    } else {
      depart(worker, node, index, now, frame);
    }
    return waits;
  }

  // The whole.

  /// Of the largest packet, on the slowest link.
  Picoseconds longest_packet() const { return longest_packet_; }
  std::uint32_t priorities() const { return priorities_; }
  std::size_t bytes() const {
    std::size_t sum = ports.capacity() * sizeof(Port) + lists_.capacity() * sizeof(List);
    for (const Slab<P>& slab : slabs) sum += slab.bytes();
    return sum + credits_.bytes() + guard_.bytes();
  }

  /// All that changes in a run, for checkpoints: queues as lists of packets, wherever they stand in memory.
  template <class Archive>
  void serialize(Archive& a) {
    a(windows);
    serialize_tables(a, ports);
    a(links);
    for (std::uint32_t n = 0; n < layout.nodes.size(); ++n) {
      for (std::uint32_t p = 0; p < layout.nodes[n].ports; ++p)
        queue(n, layout.nodes[n].first_port + p).serialize(a, priorities_);
    }
    a(credits_, guard_, watches);
  }
  /// Calls visit(node, port, packet) for all that waits.
  template <class Visit>
  void each_waiting(const Visit& visit) const {
    for (std::uint32_t n = 0; n < layout.nodes.size(); ++n) {
      const Node& node = layout.nodes[n];
      for (std::uint32_t p = node.first_port; p < node.first_port + node.ports; ++p) {
        for (std::uint32_t priority = 0; priority < priorities_; ++priority) {
          std::uint32_t at = list_of(ports[p], others(p), priority).head;
          for (; at != kNobody; at = slabs[n].next(at)) visit(n, p, slabs[n].at(at));
        }
      }
    }
  }
  /// Whether a restored state of ports can go on: without flow control nothing is paused.
  bool in_bounds() const {
    return std::all_of(ports.begin(), ports.end(),
                       [this](const Port& port) {
                         return is_time(port.free_at) && port.paused_since < kFarthest && !port.scheduled &&
                                (rules.lossless() || port.paused == 0);
                       }) &&
           credits_.in_bounds(ports) && guard_.in_bounds(windows.begin());
  }

  const Layout& layout;
  const QueueRules rules;
  Windows windows;
  PortLinks links;
  PortWatches watches;
  PagedVector<Port> ports;
  std::vector<Slab<P>> slabs;

 private:
  static constexpr bool kRecords = requires(P packet) {
    packet.record(Picoseconds{}, std::uint64_t{}, std::uint64_t{}, float{});
  };

  void find_whether_plain() {
    plain_ = links.are_plain() && !watches.any() && !rules.credits() && !guard_.any();
  }
  bool leads_to_host(std::uint32_t port) const { return layout.nodes[layout.wires[port].node].hosts; }
  std::uint32_t back_to(std::uint32_t node, const P& about) const {
    return layout.nodes[node].first_port + about.in_port;
  }

  /// So many bytes are sent from `begins` on; for how long.
  [[gnu::always_inline]] static Picoseconds occupy(Counters& counters, Port& port, const LinkRules& link,
                                                   Picoseconds begins, std::uint16_t bytes) {
    const Picoseconds time = link.time(bytes);
    port.free_at = begins + time;
    port.sent_bytes += bytes;
    ++counters.hops;
    return time;
  }
  /// A switch writes into data what it had sent before.
  void record(const Port& port, const LinkRules& link, std::uint32_t node, Picoseconds begins,
              P& packet) const {
    if (layout.nodes[node].hosts || packet.kind != PacketKind::data) return;
    packet.record(begins, port.data_bytes, port.sent_bytes - packet.bytes,
                  static_cast<float>(static_cast<double>(link.picoseconds_per_byte)));
  }

  /// Where something is done about packets, or noted of them.
  [[gnu::noinline]] void depart_guarded(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index,
                                        Picoseconds begins, P packet) {
    const bool arrives = transmit(worker.counters, node, port_index, begins, packet);
    if (watches.any()) {
      const Picoseconds busy = ports[port_index].free_at - begins;
      watches.departed(worker, node, port_index, begins, busy, packet, arrives);
    }
    const std::uint32_t there = layout.wires[port_index].node;
    if (arrives) {
      worker.inboxes.put(windows.slot_of(packet.arrival), there, packet);
    } else if (credits_.takes(packet)) {
      // As if it had left the buffer when it should have arrived.
      const P frame = credits_.frame_for(back_to(there, packet), packet, packet.arrival);
      worker.inboxes.put(windows.slot_of(frame.arrival), node, frame);
    }
  }

  List* others(std::uint32_t port) { return lists_.data() + std::size_t{port} * other_lists(priorities_); }
  const List* others(std::uint32_t port) const {
    return lists_.data() + std::size_t{port} * other_lists(priorities_);
  }

  std::uint32_t priorities_;
  PagedVector<List> lists_;  // of every port, besides its own
  LinkGuard guard_;
  LinkCredits credits_;
  Picoseconds longest_packet_;
  std::uint64_t worth_fetching_;  // packets of a port in a window
  bool plain_ = true;             // what leaves a port that is up arrives, and nothing is done or noted
};

}  // namespace trainyard::packet
