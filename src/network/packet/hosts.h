// What happens at the hosts of a leaf in a window: arrivals, starts of flows, wake-ups and service of ports,
// in the order of time, for which the transport has handlers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "network/packet/agenda.h"
#include "network/packet/flow_control.h"
#include "network/packet/flow_course.h"
#include "network/packet/host_ports.h"
#include "network/packet/nics.h"
#include "network/packet/ports.h"

namespace trainyard::packet {

template <class Transport>
class Hosts {
 public:
  using P = typename Transport::Packet;

  /// What a handler may do.
  class Context {
   public:
    Context(Hosts& hosts, Worker<P>& worker, std::uint32_t host, Picoseconds now, std::uint32_t plane)
        : hosts_(hosts), worker_(worker), host_(host), now_(now), plane_(plane) {}
    Picoseconds now() const { return now_; }
    std::uint32_t host() const { return host_; }
    std::uint32_t plane() const { return plane_; }
    /// Hands a packet to the host's port in a plane, where it waits with its priority.
    void send(const P& packet, std::uint32_t plane = 0) {
      hosts_.sending_.send(worker_, host_, now_, packet, plane);
    }
    /// Asks for offer() as soon as a port is free.
    void ready() { hosts_.sending_.data_waits(host_, now_); }
    /// Calls wake() at this time; kNever takes it back. One time a host.
    void wake_at(Picoseconds time) { hosts_.agenda_.wake_at(host_, time); }
    /// The last byte of a flow to this host is here.
    void received(std::uint32_t flow) { hosts_.flows_.received(worker_, host_, now_, flow); }
    /// The sender at this host knows that everything arrived.
    void finished(std::uint32_t flow) { hosts_.flows_.finished(worker_, host_, now_, flow); }
    Counters& counters() { return worker_.counters; }

   private:
    Hosts& hosts_;
    Worker<P>& worker_;
    std::uint32_t host_;
    Picoseconds now_;
    std::uint32_t plane_;
  };

  Hosts(Ports<P>& ports, Nics<P>& nics, Agenda& agenda, FlowCourse& flows, Transport& transport)
      : ports_(ports),
        layout_(ports.layout),
        nics_(nics),
        sending_(ports, nics),
        agenda_(agenda),
        flows_(flows),
        transport_(transport) {}

  /// What arrived at leaf n in this window stands in `worker.arrivals`.
  void run(Worker<P>& worker, std::uint32_t n) {
    const Node& node = layout_.nodes[n];
    const std::uint32_t hosts = node.ports / layout_.planes;
    worker.arrivals.group(
        hosts, ports_.windows,
        [this](const P& packet) {
          if constexpr (requires { transport_.prefetch(packet); }) transport_.prefetch(packet);
          return host_of_port(packet.in_port);
        },
        [](std::uint32_t) {});
    Picoseconds next = kNever;
    for (std::uint32_t h = 0; h < hosts; ++h) {
      if (h + 1 < hosts) prefetch(worker, layout_.first_host[n] + h + 1, worker.arrivals.of(h + 1));
      const Place place{n, layout_.first_host[n] + h, node.first_port + h * layout_.planes};
      if (worker.arrivals.has(h) || agenda_.next(place.host) < ports_.windows.end()) {
        const auto arrivals = worker.arrivals.in_order(h);
        if (ports_.rules.credits()) worker.arrivals.settle_ties(arrivals);
        if (nics_.limited()) {
          run_host<true>(worker, place, arrivals);
        } else {
          run_host<false>(worker, place, arrivals);
        }
      }
      next = std::min(next, agenda_.next(place.host));
    }
    agenda_.set_next_of_leaf(n, next);
  }

  /// When a host serves a port or its NIC next, if nothing else happens.
  Picoseconds next_service(std::uint32_t host) const {
    const std::uint32_t first_port = layout_.port_of_host(host, 0);
    const Picoseconds now = ports_.windows.begin();
    if (!nics_.limited()) return sending_.template next_service<false>(host, first_port, now).time;
    return std::min(nics_.next(host), sending_.template next_service<true>(host, first_port, now).time);
  }

 private:
  using Service = typename HostPorts<P>::Service;

  /// A host of node n.
  struct Place {
    std::uint32_t n;
    std::uint32_t host;
    std::uint32_t first_port;
  };

  std::uint32_t host_of_port(std::uint32_t port) const {
    return layout_.planes == 1 ? port : port / layout_.planes;
  }
  std::uint32_t plane_of(const P& packet) const {
    return layout_.planes == 1 ? 0 : packet.in_port % layout_.planes;
  }

  /// Fetches what the next host will read, of what its arrivals have let be fetched.
  [[gnu::always_inline]] void prefetch(Worker<P>& worker, std::uint32_t host,
                                       typename Arrivals<P>::Range arrivals) const {
    if constexpr (requires { transport_.prefetch_host(host); }) transport_.prefetch_host(host);
    if constexpr (requires(const P& packet) { transport_.prefetch_more(packet); }) {
      for (std::uint32_t k = arrivals.begin; k < arrivals.end; ++k)
        transport_.prefetch_more(worker.arrivals.at(k));
    }
  }

  template <bool kLimited>
  [[gnu::always_inline]] void run_host(Worker<P>& worker, const Place& place,
                                       typename Arrivals<P>::Range arrivals) {
    const std::uint32_t host = place.host;
    Picoseconds now = ports_.windows.begin();
    while (true) {
      const Picoseconds arrival =
          arrivals.begin < arrivals.end ? worker.arrivals.at(arrivals.begin).arrival : kNever;
      const Picoseconds start = agenda_.start(host);
      Picoseconds time = std::min({arrival, start, agenda_.wake(host)});
      if constexpr (kLimited) time = std::min(time, nics_.next(host));
      const Service service = sending_.template next_service<kLimited>(host, place.first_port, now);
      if (std::min(service.time, time) >= ports_.windows.end())
        return agenda_.set_next(host, std::min(service.time, time));
      if (service.time <= time) {
        now = service.time;
        serve<kLimited>(worker, place, service);
        continue;
      }
      now = std::max(now, time);
      if (kLimited && nics_.next(host) == time) {
        go_on_inside(worker, place, now);
      } else if (arrival == time) {
        arrive<kLimited>(worker, place, worker.arrivals.at(arrivals.begin++), now);
      } else {
        happen(worker, host, now, start == time);
      }
    }
  }

  template <bool kLimited>
  void serve(Worker<P>& worker, const Place& place, const Service& service) {
    const std::uint32_t index = place.first_port + service.plane;
    Port& port = ports_.ports[index];
    if (port.runnable())
      return sending_.template depart<kLimited>(worker, place.n, place.host, index, service.time,
                                                ports_.take(worker, place.n, index));
    Context context(*this, worker, place.host, service.time, service.plane);
    P packet;
    if (transport_.offer(context, packet)) {
      sending_.template depart<kLimited>(worker, place.n, place.host, index, service.time, packet);
    } else {
      port.ready = false;
    }
  }

  template <bool kLimited>
  void arrive(Worker<P>& worker, const Place& place, const P& packet, Picoseconds now) {
    if (packet.kind == PacketKind::pause) {
      ports_.obey(worker.counters, place.first_port + plane_of(packet), packet);
      return;
    }
    if constexpr (kLimited) {
      if (nics_.takes_time()) return nics_.arrive(worker, place.n, place.host, packet, now);
    }
    ports_.grant(worker, place.n, packet, now);
    deliver(worker, place, packet, now);
  }

  /// The next thing that happens in a host's NIC.
  void go_on_inside(Worker<P>& worker, const Place& place, Picoseconds now) {
    const std::uint32_t host = place.host;
    if (nics_.next_intake(host) <= now) return nics_.serve(worker, place.n, host, now);
    if (nics_.next_delivery(host) <= now) return deliver(worker, place, nics_.take_delivery(host), now);
    const auto what = nics_.take_hand_over(host);
    if (what.is_packet()) {
      sending_.template put<true>(worker, host, now, what.packet, what.plane);
    } else {
      sending_.make_ready(host);
    }
  }

  [[gnu::always_inline]] void deliver(Worker<P>& worker, const Place& place, const P& packet,
                                      Picoseconds now) {
    const std::uint32_t plane = plane_of(packet);
    ++worker.counters.events;
    if (packet.kind == PacketKind::data) worker.delivered_bytes += packet.bytes;
    if (ports_.watches.traces(packet))
      ports_.watches.note(worker, now, place.n, place.first_port + plane, packet, TraceEvent::received);
    Context context(*this, worker, place.host, now, plane);
    transport_.receive(context, packet);
  }

  void happen(Worker<P>& worker, std::uint32_t host, Picoseconds now, bool start) {
    Context context(*this, worker, host, now, 0);
    ++worker.counters.events;
    if (!start) {
      agenda_.wake_at(host, kNever);
      return transport_.wake(context);
    }
    const std::uint32_t flow = flows_.released(agenda_.take_start(host));
    if (flows_.begin(flow, now)) transport_.start(context, flow);
  }

  Ports<P>& ports_;
  const Layout& layout_;
  Nics<P>& nics_;
  HostPorts<P> sending_;
  Agenda& agenda_;
  FlowCourse& flows_;
  Transport& transport_;
};

}  // namespace trainyard::packet
