// Ports that wait for each other's pauses to end.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "network/packet/ports.h"

namespace trainyard::packet {

/// Follows from a paused port to the switch at its other end, to a paused port there, until a port comes
/// again: the cycle. Empty when the pauses end at a host.
template <class P>
std::vector<std::string> find_deadlock(const Layout& layout, const Ports<P>& ports) {
  const auto blocked_port_of = [&](std::uint32_t n) {
    const Node& node = layout.nodes[n];
    for (std::uint32_t p = 0; p < node.ports; ++p) {
      const Port& port = ports.ports[node.first_port + p];
      if (port.waiting != 0 && !port.runnable()) return p;
    }
    return kNobody;
  };
  for (std::uint32_t begin = 0; begin < layout.nodes.size(); ++begin) {
    std::vector<char> seen(layout.nodes.size(), 0);
    std::vector<std::string> way;
    std::uint32_t n = begin;
    std::uint32_t port = blocked_port_of(n);
    while (port != kNobody && seen[n] == 0) {
      seen[n] = 1;
      way.push_back(fmt::format("{} port {}", node_name(layout, n), port));
      n = layout.wires[layout.nodes[n].first_port + port].node;
      port = blocked_port_of(n);
    }
    if (port != kNobody) return way;
  }
  return {};
}

}  // namespace trainyard::packet
