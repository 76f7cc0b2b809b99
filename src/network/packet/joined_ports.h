// Switches whose ports share something (pauses, a pool, adaptive routing): the whole switch is replayed in
// one order of time. At one time, services come before arrivals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "network/packet/backlogs.h"
#include "network/packet/flow_control.h"
#include "network/packet/ports.h"
#include "network/packet/switch_memory.h"

namespace trainyard::packet {

template <class P>
class JoinedPorts {
 public:
  JoinedPorts(Ports<P>& ports, Backlogs<P>& backlogs, SwitchMemory& memory)
      : ports_(ports), layout_(ports.layout), rules_(ports.rules), backlogs_(backlogs), memory_(memory) {}

  /// What arrived at switch n in this window stands in `worker.arrivals`.
  void run(Worker<P>& worker, std::uint32_t n) {
    const Node& node = layout_.nodes[n];
    worker.make_room(node.ports);
    const auto [begin, end] = worker.arrivals.in_order(ports_.windows);
    if (rules_.credits()) worker.arrivals.settle_ties({begin, end});
    begin_services(worker, node, n);
    for (std::uint32_t k = begin; k < end; ++k) {
      P& packet = worker.arrivals.at(k);
      if (k + kAhead < end) prefetch_port(node, worker.arrivals.at(k + kAhead));
      run_services(worker, node, n, packet.arrival);
      arrive(worker, node, n, packet);
    }
    run_services(worker, node, n, ports_.windows.end() - 1);
    for (const std::uint16_t port : worker.touched) {
      worker.marked[port] = 0;
      ports_.ports[node.first_port + port].scheduled = false;
      backlogs_.remember(worker, n, port);
    }
    worker.touched.clear();
  }

 private:
  // Services.

  void begin_services(Worker<P>& worker, const Node& node, std::uint32_t n) {
    std::vector<std::uint16_t>& backlog = worker.backlog;
    backlogs_.take(n, backlog);
    worker.services.clear();
    for (const std::uint16_t port : backlog) ports_.prefetch(n, node.first_port + port);
    for (const std::uint16_t port : backlog) {
      ports_.ports[node.first_port + port].scheduled = false;
      schedule(worker, node, port, ports_.windows.begin());
      worker.touch(port);  // as every port that may end with a backlog
    }
  }

  /// When the port serves something next, if it does before the window ends.
  std::optional<std::uint64_t> next_service(const Port& p, std::uint32_t port, Picoseconds now) const {
    if (!p.runnable()) return std::nullopt;
    const Picoseconds time = std::max(p.free_at, now);
    if (time >= ports_.windows.end()) return std::nullopt;
    return (time - ports_.windows.begin()) << kPortBits | port;
  }
  /// Plans the port's next service unless it is planned, or there is nothing to serve before the window ends.
  [[gnu::always_inline]] void schedule(Worker<P>& worker, const Node& node, std::uint32_t port,
                                       Picoseconds now) {
    Port& p = ports_.ports[node.first_port + port];
    if (p.scheduled) return;
    const auto service = next_service(p, port, now);
    if (!service) return;
    p.scheduled = true;
    worker.services.push_back(*service);
    std::push_heap(worker.services.begin(), worker.services.end(), std::greater<>());
  }
  /// The same in place of the service that was the next of all.
  [[gnu::always_inline]] void reschedule(Worker<P>& worker, Port& p, std::uint32_t port, Picoseconds now) {
    std::vector<std::uint64_t>& heap = worker.services;
    auto service = next_service(p, port, now);
    p.scheduled = service.has_value();
    if (!service) {
      service = heap.back();
      heap.pop_back();
      if (heap.empty()) return;
    }
    // Down from the root, to where no child is earlier.
    const std::size_t size = heap.size();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && heap[child + 1] < heap[child]) ++child;
      if (heap[child] >= *service) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = *service;
  }

  [[gnu::always_inline]] void run_services(Worker<P>& worker, const Node& node, std::uint32_t n,
                                           Picoseconds until) {
    const std::uint64_t beyond = (until + 1 - ports_.windows.begin()) << kPortBits;
    while (!worker.services.empty() && worker.services.front() < beyond)
      run_service(worker, node, n, worker.services.front());
  }
  void run_service(Worker<P>& worker, const Node& node, std::uint32_t n, std::uint64_t service) {
    const Picoseconds time = ports_.windows.begin() + (service >> kPortBits);
    const auto port = static_cast<std::uint32_t>(service & ((1U << kPortBits) - 1));
    Port& p = ports_.ports[node.first_port + port];
    // Paused since, or a pause frame went first.
    if (!p.runnable() || p.free_at > time) return reschedule(worker, p, port, time);
    // It stays where it is until another one waits here, which only a pause frame does.
    const P& packet = ports_.take(worker, n, node.first_port + port);
    ports_.depart(worker, n, node.first_port + port, time, packet);
    reschedule(worker, p, port, time);
    ports_.grant(worker, n, packet, time);
    if (packet.priority >= kDataPriority && memory_.leave(n, node, packet))
      send_pause(worker, node, n, packet, false, time);
  }

  // Arrivals.

  /// Fetches the port of a packet that is soon at hand; of a table of routes that has been done.
  [[gnu::always_inline]] void prefetch_port(const Node& node, const P& packet) const {
    if (packet.kind == PacketKind::pause) return;
    memory_.prefetch(node, packet);
    if (!layout_.routes.empty()) return;
    ports_.prefetch_port(node.first_port + port_towards(layout_, node, packet));
  }
  void arrive(Worker<P>& worker, const Node& node, std::uint32_t n, P& packet) {
    if (packet.kind == PacketKind::pause) {
      const Port& stopped = ports_.ports[node.first_port + packet.in_port];
      const bool was = stopped.paused != 0;
      if (ports_.obey(worker.counters, node.first_port + packet.in_port, packet))
        schedule(worker, node, packet.in_port, packet.arrival);
      memory_.hold(n, int{stopped.paused != 0} - int{was});
      return;
    }
    const std::uint32_t port = choose_port(node, packet);
    const std::uint32_t index = node.first_port + port;
    Port& out = ports_.ports[index];
    if (out.free_at <= packet.arrival && out.waiting == 0 && (out.paused >> packet.priority & 1U) == 0) {
      ports_.depart(worker, n, index, packet.arrival, packet);
      return ports_.grant(worker, n, packet, packet.arrival);
    }
    if (memory_.overflows(node, packet)) {
      ++worker.counters.drops;
      ++worker.counters.overflows;
      return;
    }
    const std::uint64_t before = out.data_bytes;
    ports_.wait(worker, n, index, packet, memory_.room(n, out, ports_.room(index)));
    worker.touch(port);
    if (packet.priority >= kDataPriority && memory_.enter(n, node, packet, out.data_bytes - before)) {
      ++worker.counters.pauses;
      send_pause(worker, node, n, packet, true, packet.arrival);
    }
    schedule(worker, node, port, packet.arrival);
  }

  [[gnu::always_inline]] std::uint32_t choose_port(const Node& node, P& packet) const {
    if (!rules_.adaptive && !rules_.weighs_detours) return take_port(layout_, node, packet);
    if (rules_.weighs_detours && begins_detour(layout_, node, packet.in_port, packet))
      weigh_detour(node, packet);
    return best_port(node, packet);
  }

  /// Whether a detour pays: queues times links, of the first ports of both ways (UGAL-L: Singh 2005; Kim et
  /// al. 2008, "Technology-driven, highly-scalable dragonfly topology", section 4.2).
  void weigh_detour(const Node& node, P& packet) const {
    P direct = packet;
    direct.up_aggregation = 0;
    P detour = packet;
    const DetourLinks links = layout_.routes.detour_links(node.block, packet);
    const std::uint64_t by_direct = load_of(node, best_port(node, direct), packet.arrival);
    const std::uint64_t by_detour = load_of(node, best_port(node, detour), packet.arrival);
    if (by_detour == kNever || (by_direct != kNever && by_direct * links.direct <= by_detour * links.detour))
      packet.up_aggregation = 0;
  }

  /// The port of the packet's path, or of all on shortest ways the one with the shortest queue among those
  /// that are up, from that one on.
  std::uint32_t best_port(const Node& node, P& packet) const {
    const std::uint32_t port = take_port(layout_, node, packet);
    if (!rules_.adaptive || packet.priority < kDataPriority) return port;
    std::uint32_t best = port;
    std::uint64_t least = kNever;
    visit_choices(layout_, node, packet, port, [&](std::uint32_t at) {
      if (least == 0) return;
      const std::uint64_t load = load_of(node, at, packet.arrival);
      if (load >= least) return;
      least = load;
      best = at;
    });
    return best;
  }

  /// Time that a port is still busy with what waits there.
  std::uint64_t load_of(const Node& node, std::uint32_t port, Picoseconds now) const {
    const Port& p = ports_.ports[node.first_port + port];
    if (p.down) return kNever;
    const std::uint64_t busy = p.free_at > now ? p.free_at - now : 0;
    return ports_.links.of(node.first_port + port).time(p.data_bytes) + busy;
  }

  void send_pause(Worker<P>& worker, const Node& node, std::uint32_t n, const P& about, bool stop,
                  Picoseconds now) {
    const std::uint16_t port = about.in_port;
    if (!ports_.send_pause(worker, n, about, stop, now)) return;
    worker.touch(port);
    schedule(worker, node, port, now);
  }

  static constexpr unsigned kPortBits = 16;
  static constexpr std::uint32_t kAhead = 6;  // arrivals

  Ports<P>& ports_;
  const Layout& layout_;
  const QueueRules& rules_;
  Backlogs<P>& backlogs_;
  SwitchMemory& memory_;
};

}  // namespace trainyard::packet
