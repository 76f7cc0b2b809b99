// What hosts send: by a port for each plane and, where something limits them, at the pace of their NICs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "network/packet/nics.h"
#include "network/packet/ports.h"

namespace trainyard::packet {

/// `kLimited` says whether hosts have NICs (Nics::limited).
template <class P>
class HostPorts {
 public:
  struct Service {
    Picoseconds time = kNever;
    std::uint32_t plane = 0;
  };

  HostPorts(Ports<P>& ports, Nics<P>& nics) : ports_(ports), layout_(ports.layout), nics_(nics) {}

  /// When and in which plane something may be sent next.
  template <bool kLimited>
  Service next_service(std::uint32_t host, std::uint32_t first_port, Picoseconds now) const {
    if constexpr (kLimited) {
      return next_limited_service(host, first_port, now);
    } else {
      return next_service_of(host, first_port, now);
    }
  }

  /// A packet leaves by a port of the host, which is at node n.
  template <bool kLimited>
  void depart(Worker<P>& worker, std::uint32_t n, std::uint32_t host, std::uint32_t port_index,
              Picoseconds begins, const P& packet) {
    if constexpr (kLimited) nics_.sent(host, port_index - layout_.port_of_host(host, 0), packet, begins);
    ports_.depart(worker, n, port_index, begins, packet);
  }

  /// A packet leaves at once, or waits with its priority.
  template <bool kLimited>
  void put(Worker<P>& worker, std::uint32_t host, Picoseconds now, const P& packet, std::uint32_t plane) {
    const std::uint32_t leaf = leaf_of(layout_.address_of_host[host]);
    const std::uint32_t index = layout_.port_of_host(host, plane);
    Port& port = ports_.ports[index];
    const bool may_send = !kLimited || nics_.may_send(host, now);
    if (may_send && port.free_at <= now && port.waiting == 0 && (port.paused >> packet.priority & 1U) == 0) {
      depart<kLimited>(worker, leaf, host, index, now, packet);
    } else {
      ports_.keep(worker, leaf, index, packet);
    }
  }
  /// The transport may have data for every port.
  void make_ready(std::uint32_t host) {
    const std::uint32_t first = layout_.port_of_host(host, 0);
    for (std::uint32_t plane = 0; plane < layout_.planes; ++plane) ports_.ports[first + plane].ready = true;
  }

  // The same, as the host says it: its NIC may know later.

  void send(Worker<P>& worker, std::uint32_t host, Picoseconds now, const P& packet, std::uint32_t plane) {
    if (!nics_.limited()) return put<false>(worker, host, now, packet, plane);
    if (!nics_.delays()) return put<true>(worker, host, now, packet, plane);
    nics_.hand_over(host, now, plane, packet);
  }
  void data_waits(std::uint32_t host, Picoseconds now) {
    if (!nics_.delays()) return make_ready(host);
    nics_.hand_over(host, now, kNobody, {});
  }

 private:
  static bool has_something(const Port& port) { return port.runnable() || (port.ready && port.paused == 0); }

  /// Of ports that are free, that of the plane which has been for the longest time.
  Service next_service_of(std::uint32_t host, std::uint32_t first_port, Picoseconds now) const {
    if (layout_.planes > 1) return longest_idle(host, first_port, now);
    const Port& port = ports_.ports[first_port];
    return {has_something(port) ? std::max(port.free_at, now) : kNever, 0};
  }
  Service longest_idle(std::uint32_t host, std::uint32_t first_port, Picoseconds now) const {
    Service out;
    Picoseconds idle_since = kNever;
    std::uint32_t plane = layout_.first_plane_of(host);
    for (std::uint32_t i = 0; i < layout_.planes; ++i) {
      const Port& port = ports_.ports[first_port + plane];
      const Picoseconds time = has_something(port) ? std::max(port.free_at, now) : kNever;
      if (time < out.time || (time == out.time && time != kNever && port.free_at < idle_since)) {
        out = {time, plane};
        idle_since = port.free_at;
      }
      plane = plane + 1 == layout_.planes ? 0 : plane + 1;
    }
    return out;
  }

  /// Where the host sends no faster than its pace. Pause frames are the NIC's own.
  Service next_limited_service(std::uint32_t host, std::uint32_t first_port, Picoseconds now) const {
    Service out;
    std::uint32_t plane = nics_.turn(host);
    for (std::uint32_t i = 0; i < layout_.planes; ++i) {
      const Port& port = ports_.ports[first_port + plane];
      if (has_something(port)) {
        Picoseconds time = std::max(port.free_at, now);
        if ((port.waiting >> kLinkPriority & 1U) == 0) time = std::max(time, nics_.send_free_at(host));
        if (time < out.time) out = {time, plane};
      }
      plane = plane + 1 == layout_.planes ? 0 : plane + 1;
    }
    return out;
  }

  Ports<P>& ports_;
  const Layout& layout_;
  Nics<P>& nics_;
};

}  // namespace trainyard::packet
