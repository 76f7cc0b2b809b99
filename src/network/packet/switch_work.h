// Transports that do something in switches: what arrives there becomes what goes on, by ports of their
// choice.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "network/packet/packet.h"
#include "network/wiring/layout.h"

namespace trainyard::packet {

/// Its packets say by which port a switch sends them on (`out_port`), and it has `void pass(std::uint32_t n,
/// const Packet&, Onward<Packet>&)`: what switch n makes of a packet. A handler writes only what belongs to
/// its switch; what arrives in a window comes in no order.
template <class T>
concept WorksInSwitches = requires(typename T::Packet packet) {
  packet.out_port;
};

/// What a switch makes of its arrivals.
template <class P>
struct Onward {
  Picoseconds end = 0;      // of the window
  std::vector<P> sent;      // on, at their arrivals, by `out_port`
  std::vector<P> deferred;  // come to pass() once more at their arrivals, which lie behind the window

  void begin(Picoseconds window_end) {
    end = window_end;
    sent.clear();
    deferred.clear();
  }
};

/// The port by which a switch sends a packet on.
template <class P>
[[gnu::always_inline]] inline std::uint32_t port_of(const Layout& layout, const Node& node, P& packet) {
  if constexpr (requires { packet.out_port; }) {
    return packet.out_port;
  } else {
    return take_port(layout, node, packet);
  }
}

}  // namespace trainyard::packet
