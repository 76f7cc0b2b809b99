// The packet engine: conservative windows, one event a hop.
//
// Time advances in windows of one link delay. Whatever a node sends in a window arrives in a later one, so
// within a window every node is independent: it takes its inbox, orders it by (arrival, input port) for each
// output port, and replays each port, deciding service at the time it begins. There is no event queue.
// Results do not depend on the order in which nodes are taken.
//
// A transport is a class with three handlers, compiled in:
//   void start(Context&, std::uint32_t flow);          // a flow of context.host() begins
//   void receive(Context&, const Packet&);              // a packet reached context.host()
//   void wake(Context&);                                // the time that it asked for has come
// It never sees windows. Order at one time: arrivals by input port, then starts, then the wake-up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/packet/layout.h"
#include "network/packet/packet.h"
#include "network/packet/queueing.h"

namespace trainyard::packet {

/// Speeds and delays, equal on all links.
struct LinkRules {
  Picoseconds delay = 1'000'000;            // of light and of the receiving port
  std::uint64_t picoseconds_per_byte = 80;  // at 100 Gbps

  Picoseconds time(std::uint32_t bytes) const { return bytes * picoseconds_per_byte; }
};

/// A flow that begins at a host.
struct FlowStart {
  Picoseconds time = 0;
  std::uint32_t flow = 0;
};

/// Packets in flight to each node, by window of arrival: chunks that are recycled.
class Inboxes {
 public:
  Inboxes(std::size_t nodes, std::size_t slots) : nodes_(nodes), heads_(nodes * slots, kNobody) {}

  void put(std::size_t slot, std::uint32_t node, const Packet& packet) {
    std::uint32_t& head = heads_[slot * nodes_ + node];
    if (head == kNobody || chunk(head).count == kChunk) {
      const std::uint32_t fresh = take_chunk();
      chunk(fresh).next = head;
      head = fresh;
    }
    Chunk& last = chunk(head);
    last.packets[last.count++] = packet;
    ++in_flight_;
  }

  bool empty(std::size_t slot, std::uint32_t node) const { return heads_[slot * nodes_ + node] == kNobody; }
  std::uint64_t in_flight() const { return in_flight_; }

  /// Moves what has arrived out; the order is the nodes' business.
  void collect(std::size_t slot, std::uint32_t node, std::vector<Packet>& out) {
    std::uint32_t& head = heads_[slot * nodes_ + node];
    for (std::uint32_t at = head; at != kNobody;) {
      Chunk& read = chunk(at);
      out.insert(out.end(), read.packets, read.packets + read.count);
      in_flight_ -= read.count;
      const std::uint32_t next = read.next;
      read.next = free_;
      free_ = at;
      at = next;
    }
    head = kNobody;
  }

  std::size_t bytes() const {
    return blocks_.size() * kBlock * sizeof(Chunk) + heads_.capacity() * sizeof(heads_[0]);
  }

 private:
  static constexpr std::uint32_t kChunk = 63;
  static constexpr std::uint32_t kBlock = 256;
  struct Chunk {
    std::uint32_t next = kNobody;
    std::uint32_t count = 0;
    Packet packets[kChunk];
  };

  /// Chunks stand in blocks that never move, so that a full pool costs no more than one block too many.
  Chunk& chunk(std::uint32_t index) { return blocks_[index / kBlock][index % kBlock]; }

  std::uint32_t take_chunk() {
    if (free_ != kNobody) {
      const std::uint32_t index = free_;
      free_ = chunk(index).next;
      chunk(index).count = 0;
      return index;
    }
    if (used_ % kBlock == 0) blocks_.push_back(std::make_unique<Chunk[]>(kBlock));
    return used_++;
  }

  std::size_t nodes_;
  std::vector<std::uint32_t> heads_;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  std::uint32_t used_ = 0;
  std::uint32_t free_ = kNobody;
  std::uint64_t in_flight_ = 0;
};

template <class Transport>
class Engine {
 public:
  /// What a handler may do.
  class Context {
   public:
    Context(Engine& engine, std::uint32_t host, Picoseconds now) : engine_(engine), host_(host), now_(now) {}
    Picoseconds now() const { return now_; }
    std::uint32_t host() const { return host_; }
    /// Hands a packet to the host's port.
    void send(const Packet& packet) { engine_.host_sends(host_, now_, packet); }
    /// Calls wake() at this time; kNever takes it back. One time a host.
    void wake_at(Picoseconds time) { engine_.wakes_[host_] = time; }

   private:
    Engine& engine_;
    std::uint32_t host_;
    Picoseconds now_;
  };

  /// `starts` are ordered by time for each host.
  Engine(const Layout& layout, const LinkRules& links, const QueueRules& rules, Transport& transport,
         std::vector<std::vector<FlowStart>> starts, std::uint32_t largest_bytes)
      : layout_(layout),
        links_(links),
        rules_(rules),
        transport_(transport),
        starts_(std::move(starts)),
        slots_(static_cast<std::size_t>((links.delay + links.time(largest_bytes)) / links.delay) + 2),
        inboxes_(layout.nodes.size(), slots_),
        ports_(layout.wires.size()),
        slabs_(layout.nodes.size()),
        backlogs_(layout.nodes.size()),
        next_start_(starts_.size(), 0),
        wakes_(starts_.size(), kNever) {
    first_host_.assign(layout.leaves, 0);
    for (std::size_t h = layout.leaf_of_host.size(); h-- > 0;)
      first_host_[layout.leaf_of_host[h]] = static_cast<std::uint32_t>(h);
  }

  /// Runs until nothing is left to happen, or until `end`. `tick(now)` is called once a window; false stops.
  template <class Tick>
  void run(Picoseconds end, const Tick& tick) {
    while (skip_idle() && window_ < end && tick(window_)) {
      for (std::uint32_t n = 0; n < layout_.nodes.size(); ++n) {
        if (layout_.nodes[n].hosts) {
          run_hosts(n);
        } else {
          run_switch(n);
        }
      }
      window_ += links_.delay;
      slot_ = (slot_ + 1) % slots_;
    }
  }

  const Counters& counters() const { return counters_; }
  Picoseconds now() const { return window_; }
  std::size_t bytes() const {
    std::size_t sum = inboxes_.bytes() + ports_.capacity() * sizeof(Port);
    for (const Slab& slab : slabs_) sum += slab.bytes();
    return sum;
  }

 private:
  struct Key {
    std::uint64_t order;  // arrival in the window, then input port
    std::uint32_t index;
  };

  /// Whether anything is left; jumps over windows in which nothing happens.
  bool skip_idle() {
    if (inboxes_.in_flight() > 0 || waiting_ > 0) return true;
    Picoseconds next = kNever;
    for (std::size_t h = 0; h < wakes_.size(); ++h) next = std::min({next, wakes_[h], next_start(h)});
    if (next == kNever) return false;
    if (next >= window_ + links_.delay) {
      const Picoseconds windows = (next - window_) / links_.delay;
      window_ += windows * links_.delay;
      slot_ = (slot_ + windows % slots_) % slots_;
    }
    return true;
  }

  Picoseconds next_start(std::size_t host) const {
    const auto& starts = starts_[host];
    return next_start_[host] < starts.size() ? starts[next_start_[host]].time : kNever;
  }

  /// A packet leaves a port; its last bit arrives after its own time and the delay.
  void depart(std::uint32_t port, Picoseconds begins, Packet packet) {
    const Wire& wire = layout_.wires[port];
    const Picoseconds time = links_.time(packet.bytes);
    ports_[port].free_at = begins + time;
    packet.arrival = begins + time + links_.delay;
    packet.in_port = wire.in_port;
    ++counters_.hops;
    std::size_t slot = slot_;
    for (Picoseconds end = window_ + links_.delay; packet.arrival >= end; end += links_.delay)
      slot = slot + 1 == slots_ ? 0 : slot + 1;
    inboxes_.put(slot, wire.node, packet);
  }

  /// Serves what waits while service begins no later than `until`.
  void serve(std::uint32_t port_index, Slab& slab, Picoseconds until) {
    Port& port = ports_[port_index];
    while (port.free_at <= until && port.waiting()) {
      Port::List& list = port.lists[0].count > 0 ? port.lists[0] : port.lists[1];
      --waiting_;
      depart(port_index, port.free_at, take(list, slab));
    }
  }

  void arrive(std::uint32_t port_index, Slab& slab, Picoseconds now, const Packet& packet,
              const QueueRules& rules) {
    serve(port_index, slab, now);
    Port& port = ports_[port_index];
    if (port.free_at <= now) return depart(port_index, now, packet);
    const std::uint64_t before = port.lists[0].count + port.lists[1].count;
    admit(port, slab, packet, rules, counters_);
    waiting_ += port.lists[0].count + port.lists[1].count - before;
  }

  void run_switch(std::uint32_t n) {
    std::vector<std::uint16_t>& backlog = backlogs_[n];
    if (inboxes_.empty(slot_, n) && backlog.empty()) return;
    const Node& node = layout_.nodes[n];
    arrived_.clear();
    inboxes_.collect(slot_, n, arrived_);
    sort_by_port(node);
    for (const std::uint16_t port : backlog) touched_.push_back(port);
    backlog.clear();
    for (const std::uint16_t port : touched_) {
      if (marked_[port] == 0) continue;  // seen already
      marked_[port] = 0;
      replay(node, n, port);
      if (ports_[node.first_port + port].waiting()) backlog.push_back(port);
    }
    touched_.clear();
  }

  /// Arrivals by output port, each in order; ports with a backlog are marked as well.
  void sort_by_port(const Node& node) {
    if (marked_.size() < node.ports) {
      marked_.resize(node.ports, 0);
      first_.resize(node.ports + 1U, 0);
    }
    std::fill(first_.begin(), first_.begin() + node.ports + 1, 0);
    out_ports_.clear();
    for (const Packet& packet : arrived_) {
      const auto port = static_cast<std::uint16_t>(port_towards(layout_, node, packet));
      out_ports_.push_back(port);
      if (first_[port + 1U]++ == 0) touched_.push_back(port);
      marked_[port] = 1;
    }
    for (const std::uint16_t port : backlogs_[static_cast<std::size_t>(&node - layout_.nodes.data())])
      marked_[port] = 1;
    for (std::uint32_t p = 0; p < node.ports; ++p) first_[p + 1] += first_[p];
    keys_.resize(arrived_.size());
    place_.assign(first_.begin(), first_.begin() + node.ports);
    for (std::uint32_t i = 0; i < arrived_.size(); ++i) keys_[place_[out_ports_[i]]++] = key_of(i);
  }

  Key key_of(std::uint32_t index) const {
    const Packet& packet = arrived_[index];
    return {((packet.arrival - window_) << 16U) | packet.in_port, index};
  }

  void replay(const Node& node, std::uint32_t n, std::uint16_t port) {
    const std::uint32_t index = node.first_port + port;
    order(first_[port], first_[port + 1U]);
    for (std::uint32_t k = first_[port]; k < first_[port + 1U]; ++k) {
      const Packet& packet = arrived_[keys_[k].index];
      arrive(index, slabs_[n], packet.arrival, packet, rules_);
    }
    serve(index, slabs_[n], window_ + links_.delay - 1);
  }

  /// Insertion sort: a port gets few packets in a window, nearly in order.
  void order(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      const Key key = keys_[i];
      std::uint32_t at = i;
      for (; at > begin && keys_[at - 1].order > key.order; --at) keys_[at] = keys_[at - 1];
      keys_[at] = key;
    }
  }

  /// The hosts of one leaf: arrivals have one output, the host of their input port.
  void run_hosts(std::uint32_t n) {
    const Node& node = layout_.nodes[n];
    arrived_.clear();
    inboxes_.collect(slot_, n, arrived_);
    if (marked_.size() < node.ports) {
      marked_.resize(node.ports, 0);
      first_.resize(node.ports + 1U, 0);
    }
    std::fill(first_.begin(), first_.begin() + node.ports + 1, 0);
    for (const Packet& packet : arrived_) ++first_[packet.in_port + 1U];
    for (std::uint32_t p = 0; p < node.ports; ++p) first_[p + 1] += first_[p];
    keys_.resize(arrived_.size());
    place_.assign(first_.begin(), first_.begin() + node.ports);
    for (std::uint32_t i = 0; i < arrived_.size(); ++i) keys_[place_[arrived_[i].in_port]++] = key_of(i);
    for (std::uint32_t h = 0; h < node.ports; ++h) run_host(node, n, h);
  }

  void run_host(const Node& node, std::uint32_t n, std::uint32_t index) {
    const std::uint32_t host = first_host_[n] + index;
    const Picoseconds end = window_ + links_.delay;
    order(first_[index], first_[index + 1U]);
    std::uint32_t next = first_[index];
    while (true) {
      const Picoseconds arrival = next < first_[index + 1U] ? arrived_[keys_[next].index].arrival : kNever;
      const Picoseconds start = next_start(host);
      const Picoseconds time = std::min({arrival, start, wakes_[host]});
      if (time >= end) break;
      Context context(*this, host, time);
      if (arrival == time) {
        transport_.receive(context, arrived_[keys_[next++].index]);
      } else if (start == time) {
        transport_.start(context, starts_[host][next_start_[host]++].flow);
      } else {
        wakes_[host] = kNever;
        transport_.wake(context);
      }
    }
    serve(node.first_port + index, slabs_[n], end - 1);
  }

  /// A host's own queue has no limit.
  void host_sends(std::uint32_t host, Picoseconds now, const Packet& packet) {
    static constexpr QueueRules kNoLimit{kNobody, kNobody, false, 0};
    const std::uint32_t leaf = layout_.leaf_of_host[host];
    arrive(layout_.nodes[leaf].first_port + layout_.index_of_host[host], slabs_[leaf], now, packet, kNoLimit);
  }

  const Layout& layout_;
  LinkRules links_;
  QueueRules rules_;
  Transport& transport_;
  std::vector<std::vector<FlowStart>> starts_;  // of each host
  std::size_t slots_;
  Inboxes inboxes_;
  std::vector<Port> ports_;
  std::vector<Slab> slabs_;
  std::vector<std::vector<std::uint16_t>>
      backlogs_;  // ports of each switch that begin a window with waiting packets
  std::vector<std::size_t> next_start_;
  std::vector<Picoseconds> wakes_;
  std::vector<std::uint32_t> first_host_;  // of each leaf
  Picoseconds window_ = 0;
  std::size_t slot_ = 0;
  std::uint64_t waiting_ = 0;  // packets in queues
  Counters counters_;

  // Of the node at hand.
  std::vector<Packet> arrived_;
  std::vector<std::uint16_t> out_ports_;
  std::vector<std::uint16_t> touched_;
  std::vector<char> marked_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> place_;
  std::vector<Key> keys_;
};

}  // namespace trainyard::packet
