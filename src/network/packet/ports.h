// All output ports of a network: departures, queues, and the packets in flight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "network/packet/flow_control.h"
#include "network/packet/probes.h"
#include "network/packet/queueing.h"
#include "network/packet/replays.h"
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
        ports(of.wires.size()),
        slabs(of.nodes.size()),
        priorities_(priorities),
        lists_(of.wires.size() * priorities),
        corrupts_(rules.lost_below > 0),
        largest_bytes_(largest_bytes),
        credits_spent_(rules.credits() ? lists_.size() : 0, 0),
        replays_(rules.link_retry && rules.replay_bytes > 0 ? of.wires.size() : 0) {
    for (const LinkRules& link : of.links) corrupts_ |= link.bit_error_rate > 0;
    guarded_ = corrupts_ || rules.credits() || rules.link_retry;
    if (rules.cut_through) find_fastest();
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
  void depart(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index, Picoseconds begins,
              const P& packet) {
    if (kRecords || watched || guarded_ || ports[port_index].down)
      return depart_watched(worker, node, port_index, begins, packet);
    // Copied before it is changed: a processor that has to put together what it copies, waits.
    const Picoseconds arrival = occupy(worker.counters, port_index, begins, packet.bytes);
    const Wire& wire = layout.wires[port_index];
    P& sent = worker.inboxes.put(windows.slot_of(arrival), wire.node, packet);
    sent.arrival = arrival;
    sent.in_port = wire.in_port;
  }

  /// Occupies the port and sets when and where the packet arrives; false when it is lost on the way.
  bool transmit(Counters& counters, std::uint32_t node, std::uint32_t port_index, Picoseconds begins,
                P& packet) {
    const Port& port = ports[port_index];
    if constexpr (kRecords) {
      if (!layout.nodes[node].hosts && packet.kind == PacketKind::data)
        packet.record(begins, port.data_bytes, port.sent_bytes,
                      static_cast<float>(static_cast<double>(link_of(port_index).picoseconds_per_byte)));
    }
    packet.arrival = occupy(counters, port_index, begins, packet.bytes);
    packet.in_port = layout.wires[port_index].in_port;
    if (packet.kind == PacketKind::pause) return true;  // guarded by the link itself
    if (!port.down && !guarded_) return true;
    return pass_guard(counters, port_index, begins, packet);
  }

  /// Of each node, the time of a byte on the fastest link that its ports may send on to.
  void find_fastest() {
    for (const Node& node : layout.nodes) {
      std::optional<wiring::ByteTime> fastest;
      for (std::uint32_t port = node.first_port; port < node.first_port + node.ports; ++port) {
        const LinkRules& link = layout.link_of(port);
        if (!link.passes_through)
          fastest = std::min(fastest.value_or(link.picoseconds_per_byte), link.picoseconds_per_byte);
      }
      fastest_.push_back(fastest.value_or(wiring::ByteTime(0)));
    }
  }

  /// A faster link than the one by which a packet comes would run out of bits.
  bool cuts_through(std::uint32_t node, const LinkRules& from) const {
    return !layout.nodes[node].hosts && from.picoseconds_per_byte <= fastest_[node];
  }

  /// Serves the packet that is next, at the time at which the port is free. It stays where it is until the
  /// next one waits at the node.
  const P& take(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index) {
    --worker.waiting;
    return take(worker.counters, node, port_index);
  }
  const P& take(Counters& counters, std::uint32_t node, std::uint32_t port_index) {
    const Queue<P> from = queue(node, port_index);
    P& packet = from.take();
    if (rules.mark_leaving && rules.marks() && !layout.nodes[node].hosts) {
      const std::uint64_t before = counters.marks;
      mark(packet, from.port.data_bytes, rules, counters);
      if (watched && counters.marks != before)
        each_watch(port_index, [](PortWatch& watch) { ++watch.marks; });
    }
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
    const std::uint64_t marks = worker.counters.marks;
    admit(to, packet, limit, rules, worker.counters,
          [&] { return layout.nodes[layout.wires[port_index].node].hosts; });
    const bool dropped = worker.counters.drops != before;
    if (watched) {
      const Admission of{worker.counters.marks != marks, worker.counters.trims != trims, dropped};
      watch_admission(worker, to.port, node, port_index, packet, of);
    }
    return !dropped;
  }

  // Credits: a sender takes what a packet needs of the buffer behind the link, and stops a priority that
  // could not take a largest packet more.

  /// The buffer behind a link has room again; whether the port may go on.
  bool regain(Counters& counters, std::uint32_t port_index, const P& frame) {
    const std::uint32_t priority = credit_priority(frame);
    std::uint32_t& spent = credits_spent_[std::size_t{port_index} * priorities_ + priority];
    spent -= std::min(spent, credit_bytes(frame));
    Port& port = ports[port_index];
    if ((port.paused >> priority & 1U) == 0 || is_spent(spent)) return false;
    let_go(port, priority, frame.arrival, counters);
    return true;
  }
  /// Obeys a frame of the link's own; whether the port may go on with something.
  bool obey(Counters& counters, std::uint32_t port_index, const P& frame) {
    if (frame.marks == kCredit) return regain(counters, port_index, frame);
    return obey_pause(ports[port_index], frame, counters);
  }
  bool takes_credit(const Packet& packet) const {
    return rules.credits() && packet.priority >= kDataPriority;
  }
  /// A packet has left the buffer behind the link by which it came to a node: its sender knows when an
  /// ordered set and the link's delay have passed.
  void grant(Worker<P>& worker, std::uint32_t node, const P& about, Picoseconds now) {
    if (!takes_credit(about)) return;
    const P frame = credit_for(node, about, now);
    worker.inboxes.put(windows.slot_of(frame.arrival), layout.wires[back_to(node, about)].node, frame);
  }
  P credit_for(std::uint32_t node, const P& about, Picoseconds now) const {
    const std::uint32_t index = back_to(node, about);
    P frame = credit_frame<P>(about.priority, about.bytes);
    frame.arrival = now + link_of(index).delay + link_of(index).time(kOrderedSetBytes);
    frame.in_port = layout.wires[index].in_port;
    return frame;
  }
  /// Of a packet that was lost on its way: as if it had left the buffer when it should have arrived.
  P credit_of_lost(std::uint32_t port_index, const P& packet) const {
    const Wire& wire = layout.wires[port_index];
    return credit_for(wire.node, packet, packet.arrival);
  }
  std::uint32_t back_to(std::uint32_t node, const P& about) const {
    return layout.nodes[node].first_port + about.in_port;
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
    return watched && !traced_flows.empty() && packet.kind != PacketKind::pause &&
           traced_flows[packet.flow] != 0;
  }
  void note(Worker<P>& worker, Picoseconds time, std::uint32_t node, std::uint32_t port, const Packet& packet,
            TraceEvent event) const {
    worker.trace.push_back({time, node, port - layout.nodes[node].first_port, packet.flow, packet.sequence,
                            packet.bytes, packet.kind, event});
  }

  std::size_t bytes() const {
    std::size_t sum = ports.capacity() * sizeof(Port) + lists_.capacity() * sizeof(List);
    for (const Slab<P>& slab : slabs) sum += slab.bytes();
    return sum + credits_spent_.capacity() * sizeof(std::uint32_t) +
           replays_.capacity() * sizeof(ReplayBuffer);
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
    if (rules.credits()) serialize_tables(a, credits_spent_);
    for (ReplayBuffer& buffer : replays_) a(buffer);
    for (PortWatch& watch : watches) a(watch);
  }

  /// Follows the ports of probes, each with a watch of its own by the probe's number.
  void watch(const std::vector<Probe>& probes) {
    watched = true;
    watches.resize(probes.size());
    first_watch.assign(layout.wires.size(), kNobody);
    for (std::uint32_t i = 0; i < probes.size(); ++i) {
      if (probes[i].of_flow) continue;
      watches[i].next = first_watch[probes[i].index];
      first_watch[probes[i].index] = i;
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
           (rules.lossless() || port.paused == 0);
  }
  /// Whether ports are stopped where their restored credits are spent, and there alone.
  bool credits_in_bounds() const {
    for (std::size_t i = 0; i < credits_spent_.size(); ++i) {
      const bool stopped = (ports[i / priorities_].paused >> i % priorities_ & 1U) != 0;
      if (credits_spent_[i] > rules.credit_bytes || stopped != is_spent(credits_spent_[i])) return false;
    }
    return std::all_of(replays_.begin(), replays_.end(),
                       [this](const ReplayBuffer& buffer) { return buffer.in_bounds(windows.begin()); });
  }
  std::uint32_t priorities() const { return priorities_; }

  const Layout& layout;
  const QueueRules rules;
  Windows windows;
  std::vector<Port> ports;
  std::vector<Slab<P>> slabs;
  bool watched = false;                    // flows are traced, or ports have watches
  std::vector<char> traced_flows;          // by flow; empty: none
  std::vector<PortWatch> watches;          // of each probe
  std::vector<std::uint32_t> first_watch;  // of each port; empty: none
  std::vector<std::uint16_t> links_now;    // of each port, in Layout::links; empty: none changes

 private:
  static constexpr bool kRecords = requires(P packet) {
    packet.record(Picoseconds{}, std::uint64_t{}, std::uint64_t{}, float{});
  };

  /// So many bytes are sent from `begins` on; when they arrive.
  [[gnu::always_inline]] Picoseconds occupy(Counters& counters, std::uint32_t port_index, Picoseconds begins,
                                            std::uint16_t bytes) {
    const LinkRules& link = link_of(port_index);
    Port& port = ports[port_index];
    const Picoseconds time = link.time(bytes);
    port.free_at = begins + time;
    port.sent_bytes += bytes;
    ++counters.hops;
    const Picoseconds arrival = begins + link.delay + time;
    if (link.passes_through) return arrival - time;
    if (rules.cut_through && cuts_through(layout.wires[port_index].node, link))
      return arrival - (time - link.time(std::min(bytes, rules.header_bytes)));
    return arrival;
  }

  /// Where something is done about packets, or noted of them.
  [[gnu::noinline]] void depart_watched(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index,
                                        Picoseconds begins, P packet) {
    const bool arrives = transmit(worker.counters, node, port_index, begins, packet);
    if (watched) watch_departure(worker, node, port_index, begins, packet, arrives);
    if (arrives) {
      worker.inboxes.put(windows.slot_of(packet.arrival), layout.wires[port_index].node, packet);
    } else if (takes_credit(packet)) {
      const P frame = credit_of_lost(port_index, packet);
      worker.inboxes.put(windows.slot_of(frame.arrival), node, frame);
    }
  }

  /// What became of a packet that had to wait.
  struct Admission {
    bool marked;
    bool cut;
    bool dropped;
  };

  template <class Visit>
  void each_watch(std::uint32_t port_index, const Visit& visit) {
    if (first_watch.empty()) return;
    for (std::uint32_t w = first_watch[port_index]; w != kNobody; w = watches[w].next) visit(watches[w]);
  }

  [[gnu::noinline]] void watch_departure(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index,
                                         Picoseconds begins, const P& packet, bool arrives) {
    each_watch(port_index, [&](PortWatch& watch) {
      watch.busy += ports[port_index].free_at - begins;
      watch.lost += arrives ? 0 : 1;
    });
    if (!traced(packet)) return;
    note(worker, begins, node, port_index, packet, TraceEvent::left);
    if (!arrives) note(worker, begins, node, port_index, packet, TraceEvent::lost);
  }

  [[gnu::noinline]] void watch_admission(Worker<P>& worker, const Port& to, std::uint32_t node,
                                         std::uint32_t port_index, const P& packet, const Admission& of) {
    if (&to == &ports[port_index]) {  // not the queue of a NIC
      each_watch(port_index, [&](PortWatch& watch) {
        watch.longest_bytes = std::max(watch.longest_bytes, to.data_bytes);
        watch.marks += of.marked ? 1 : 0;
        watch.trims += of.cut ? 1 : 0;
        watch.drops += of.dropped ? 1 : 0;
      });
    }
    if (traced(packet))
      note(worker, packet.arrival, node, port_index, packet,
           of.dropped ? TraceEvent::dropped
           : of.cut   ? TraceEvent::cut
                      : TraceEvent::queued);
  }

  bool is_spent(std::uint32_t spent) const { return spent + largest_bytes_ > rules.credit_bytes; }

  /// What links do about errors, failures and credits; false when the packet is lost on the way.
  [[gnu::noinline]] bool pass_guard(Counters& counters, std::uint32_t port_index, Picoseconds begins,
                                    P& packet) {
    Port& port = ports[port_index];
    if (takes_credit(packet)) {
      std::uint32_t& spent = credits_spent_[std::size_t{port_index} * priorities_ + packet.priority];
      spent += packet.bytes;
      if (is_spent(spent) && (port.paused >> packet.priority & 1U) == 0) stop(port, packet.priority, begins);
    }
    const bool arrives = !port.down && (rules.link_retry ? replay(counters, port_index, begins, packet)
                                                         : !(corrupts_ && is_corrupted(packet, port_index)));
    if (!arrives) ++counters.corrupted;
    return arrives;
  }

  /// Link-level retry: the link sends the packet until it arrives whole. When a packet is destroyed, what
  /// goes after it is worth nothing until the receiver's word has come, and is sent once more after it
  /// (go-back-N): here the link stands still until then.
  bool replay(Counters& counters, std::uint32_t port_index, Picoseconds begins, P& packet) {
    const LinkRules& link = link_of(port_index);
    Port& port = ports[port_index];
    const Picoseconds word = 2 * link.delay + link.time(kOrderedSetBytes);
    const Picoseconds once = port.free_at - begins + word;
    Picoseconds late = 0;
    if (!replays_.empty()) {
      const Picoseconds room = replays_[port_index].room_at(begins, packet.bytes, rules.replay_bytes);
      late = room - begins;
    }
    bool arrives = false;
    for (std::uint32_t replays = 0; !arrives; ++replays, late += once) {
      P attempt = packet;
      attempt.arrival += late;
      arrives = !corrupts_ || !is_corrupted(attempt, port_index);
      if (arrives || replays == rules.replay_limit) break;
      ++counters.replays;
    }
    packet.arrival += late;
    port.free_at += late;
    if (!replays_.empty()) replays_[port_index].hold(port.free_at + word, packet.bytes);
    return arrives;
  }

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
  bool guarded_ = false;  // links do something about packets
  std::uint32_t largest_bytes_;
  std::vector<std::uint32_t> credits_spent_;  // of every port and priority
  std::vector<ReplayBuffer> replays_;         // of every port, where their room is limited
  std::vector<wiring::ByteTime> fastest_;     // of every node, with cut-through
};

}  // namespace trainyard::packet
