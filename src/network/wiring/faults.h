// Links that fail and come back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/wiring/layout.h"
#include "trainyard/picoseconds.h"

namespace trainyard::wiring {

/// One direction of a link changes; from the next whole multiple of the shortest link delay on.
struct Fault {
  static constexpr std::uint16_t kSameLink = 0xFFFF;

  Picoseconds time = 0;
  std::uint32_t port = 0;          // in Layout::wires
  bool down = true;                // or up again, after as many of one as of the other
  std::uint16_t link = kSameLink;  // or what the link is from now on, in Layout::links

  static bool any_slows(const std::vector<Fault>& faults) {
    return std::any_of(faults.begin(), faults.end(), [](const Fault& f) { return f.link != kSameLink; });
  }
};

/// Which ports are down now, and whether senders know.
struct LinkState {
  std::vector<char> down;  // by port; empty: no link ever fails
  bool known = false;

  bool is_down(std::uint32_t port) const { return !down.empty() && down[port] != 0; }
};

/// Whether a packet from this host's port gets through, as far as links are up.
inline bool way_is_up(const Layout& layout, const LinkState& state, std::uint32_t from, std::uint32_t plane,
                      Way packet) {
  std::uint32_t port = layout.port_of_host(from, plane);
  while (!state.is_down(port)) {
    const Node& node = layout.nodes[layout.wires[port].node];
    if (node.hosts) return true;
    port = node.first_port + take_port(layout, node, packet);
  }
  return false;
}

}  // namespace trainyard::wiring
