// The packet engine once more, slow and plainly right: one heap of events, two events a hop.
#pragma once

#include <queue>
#include <tuple>
#include <vector>

#include "network/packet/engine.h"

namespace trainyard::packet {

template <class Transport>
class ReferenceEngine {
 public:
  class Context {
   public:
    Context(ReferenceEngine& engine, std::uint32_t host, Picoseconds now)
        : engine_(engine), host_(host), now_(now) {}
    Picoseconds now() const { return now_; }
    std::uint32_t host() const { return host_; }
    void send(const Packet& packet) { engine_.host_sends(host_, now_, packet); }
    void wake_at(Picoseconds time) { engine_.plan_wake(host_, time); }

   private:
    ReferenceEngine& engine_;
    std::uint32_t host_;
    Picoseconds now_;
  };

  ReferenceEngine(const Layout& layout, const LinkRules& links, const QueueRules& rules, Transport& transport,
                  const std::vector<std::vector<FlowStart>>& starts)
      : layout_(layout),
        links_(links),
        rules_(rules),
        transport_(transport),
        ports_(layout.wires.size()),
        wakes_(starts.size(), kNever) {
    for (std::uint32_t host = 0; host < starts.size(); ++host) {
      for (std::uint32_t i = 0; i < starts[host].size(); ++i)
        add({starts[host][i].time, kStart, host, i, starts[host][i].flow, {}});
    }
  }

  void run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
  }

  const Counters& counters() const { return counters_; }

 private:
  // The order of what happens at one time.
  enum Phase { kService, kArrival, kStart, kWake };
  struct Event {
    Picoseconds time;
    Phase phase;
    std::uint32_t where;  // port, node or host
    std::uint32_t in_port;
    std::uint32_t flow;
    Packet packet;
    bool operator>(const Event& other) const {
      return std::tie(time, phase, where, in_port) >
             std::tie(other.time, other.phase, other.where, other.in_port);
    }
  };

  void add(const Event& event) { events_.push(event); }

  void handle(const Event& event) {
    switch (event.phase) {
      case kService:
        return serve(event.where, event.time);
      case kArrival:
        return arrive(event.where, event.packet, event.time);
      case kStart: {
        Context context(*this, event.where, event.time);
        return transport_.start(context, event.flow);
      }
      case kWake: {
        if (wakes_[event.where] != event.time) return;  // another time was asked for since
        wakes_[event.where] = kNever;
        Context context(*this, event.where, event.time);
        return transport_.wake(context);
      }
    }
  }

  void serve(std::uint32_t port, Picoseconds now) {
    Port& p = ports_[port];
    if (!p.waiting()) return;
    depart(port, now, take(p.lists[0].count > 0 ? p.lists[0] : p.lists[1], slab_));
  }

  void depart(std::uint32_t port, Picoseconds now, Packet packet) {
    const Wire& wire = layout_.wires[port];
    ++counters_.hops;
    ports_[port].free_at = now + links_.time(packet.bytes);
    packet.arrival = ports_[port].free_at + links_.delay;
    packet.in_port = wire.in_port;
    add({ports_[port].free_at, kService, port, 0, 0, {}});
    add({packet.arrival, kArrival, wire.node, wire.in_port, 0, packet});
  }

  void arrive(std::uint32_t n, const Packet& packet, Picoseconds now) {
    const Node& node = layout_.nodes[n];
    if (!node.hosts) return offer(node.first_port + port_towards(layout_, node, packet), packet, now, rules_);
    Context context(*this, host_at(n, packet.in_port), now);
    transport_.receive(context, packet);
  }

  void offer(std::uint32_t port, const Packet& packet, Picoseconds now, const QueueRules& rules) {
    if (ports_[port].free_at <= now && !ports_[port].waiting()) return depart(port, now, packet);
    admit(ports_[port], slab_, packet, rules, counters_);
  }

  void host_sends(std::uint32_t host, Picoseconds now, const Packet& packet) {
    const QueueRules no_limit{kNobody, kNobody, false, 0};
    const Node& node = layout_.nodes[layout_.leaf_of_host[host]];
    const std::uint32_t port = node.first_port + layout_.index_of_host[host];
    if (ports_[port].free_at <= now) serve(port, now);  // what waits goes first
    offer(port, packet, now, no_limit);
  }

  void plan_wake(std::uint32_t host, Picoseconds time) {
    wakes_[host] = time;
    if (time != kNever) add({time, kWake, host, 0, 0, {}});
  }

  std::uint32_t host_at(std::uint32_t leaf, std::uint16_t index) const {
    for (std::uint32_t host = 0; host < layout_.leaf_of_host.size(); ++host) {
      if (layout_.leaf_of_host[host] == leaf && layout_.index_of_host[host] == index) return host;
    }
    return kNobody;
  }

  const Layout& layout_;
  LinkRules links_;
  QueueRules rules_;
  Transport& transport_;
  std::vector<Port> ports_;
  std::vector<Picoseconds> wakes_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Slab slab_;
  Counters counters_;
};

}  // namespace trainyard::packet
