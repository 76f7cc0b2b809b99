// Ports that wait for each other's pauses to end, or for credits.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "network/packet/ports.h"

namespace trainyard::packet {

/// Follows from a port that may not send to a port of the switch at its other end where waits, and may not be
/// sent, what came from there, until a port comes again.
template <class P>
class DeadlockSearch {
 public:
  DeadlockSearch(const Layout& layout, const Ports<P>& ports)
      : layout_(layout),
        ports_(ports),
        kinds_(ports.priorities()),
        waits_at_(layout.wires.size() * kinds_, kNobody) {
    ports.each_waiting([&](std::uint32_t n, std::uint32_t p, const P& packet) {
      if (layout.nodes[n].hosts || packet.priority < kDataPriority) return;
      if (!ports.ports[p].runnable())
        waits_at_[place(layout.nodes[n].first_port + packet.in_port, packet.priority)] = p;
    });
  }

  /// Names of the ports of a cycle, in its order; none where there is no cycle.
  std::vector<std::string> cycle() const {
    for (std::uint32_t n = 0; n < layout_.nodes.size(); ++n) {
      const Node& node = layout_.nodes[n];
      for (std::uint32_t p = node.first_port; p < node.first_port + node.ports; ++p) {
        std::vector<std::string> found = cycle_behind(p);
        if (!found.empty()) return found;
      }
    }
    return {};
  }

 private:
  std::size_t place(std::size_t port, std::size_t kind) const { return port * kinds_ + kind; }

  /// The port at which what this one has sent waits for the same reason as this one.
  std::uint32_t next(std::uint32_t port) const {
    const Port& p = ports_.ports[port];
    if (p.waiting == 0 || p.runnable()) return kNobody;
    const Wire& wire = layout_.wires[port];
    const std::size_t into = layout_.nodes[wire.node].first_port + wire.in_port;
    for (std::uint32_t kind = kDataPriority; kind < kinds_; ++kind) {
      const std::uint32_t at = waits_at_[place(into, kind)];
      if ((p.waiting >> kind & 1U) != 0 && at != kNobody) return at;
    }
    return kNobody;
  }

  std::vector<std::string> cycle_behind(std::uint32_t port) const {
    std::vector<std::uint32_t> way;
    while (port != kNobody) {
      const auto before = std::find(way.begin(), way.end(), port);
      if (before != way.end()) return names_of({before, way.end()});
      way.push_back(port);
      port = next(port);
    }
    return {};
  }

  /// Each port of a cycle leads to the next one's node.
  std::vector<std::string> names_of(const std::vector<std::uint32_t>& ports) const {
    std::vector<std::string> names;
    std::uint32_t n = layout_.wires[ports.back()].node;
    for (const std::uint32_t port : ports) {
      names.push_back(fmt::format("{} port {}", node_name(layout_, n), port - layout_.nodes[n].first_port));
      n = layout_.wires[port].node;
    }
    return names;
  }

  const Layout& layout_;
  const Ports<P>& ports_;
  std::size_t kinds_;
  std::vector<std::uint32_t> waits_at_;  // of what came by each port, by priority: a port that may not send
};

}  // namespace trainyard::packet
