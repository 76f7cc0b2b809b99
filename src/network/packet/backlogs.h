// Ports of switches that begin a window with waiting packets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/packet/ports.h"

namespace trainyard::packet {

template <class P>
class Backlogs {
 public:
  explicit Backlogs(Ports<P>& ports) : ports_(ports), ports_of_(ports.layout.nodes.size()) {}

  /// Ports of switch n, in no order.
  std::vector<std::uint16_t>& of(std::uint32_t n) { return ports_of_[n]; }
  const std::vector<std::uint16_t>& of(std::uint32_t n) const { return ports_of_[n]; }
  bool empty(std::uint32_t n) const { return ports_of_[n].empty(); }

  /// At the end of a window: whether something waits at that port.
  [[gnu::always_inline]] void remember(Worker<P>& worker, std::uint32_t n, std::uint16_t port) {
    const Port& p = ports_.ports[ports_.layout.nodes[n].first_port + port];
    if (p.waiting == 0) return;
    ports_of_[n].push_back(port);
    worker.left_waiting = std::max(worker.left_waiting, p.data_bytes);
  }

  template <class Archive>
  void serialize(Archive& a) {
    for (std::vector<std::uint16_t>& ports : ports_of_) {
      std::sort(ports.begin(), ports.end());  // the order means nothing
      a(ports);
    }
  }
  /// Whether a restored state names the ports where something waits. Where ports are served one by one, it
  /// leaves no earlier than now.
  bool in_bounds() const {
    for (std::size_t n = 0; n < ports_of_.size(); ++n) {
      if (!are_waiting(ports_.layout.nodes[n], ports_of_[n])) return false;
    }
    return true;
  }

 private:
  bool are_waiting(const Node& node, const std::vector<std::uint16_t>& expected) const {
    std::vector<std::uint16_t> waiting;
    for (std::uint32_t p = 0; !node.hosts && p < node.ports; ++p) {
      const Port& port = ports_.ports[node.first_port + p];
      if (port.waiting == 0) continue;
      if (!ports_.rules.ordered() && port.free_at < ports_.windows.begin()) return false;
      waiting.push_back(static_cast<std::uint16_t>(p));
    }
    return waiting == expected;
  }

  Ports<P>& ports_;
  std::vector<std::vector<std::uint16_t>> ports_of_;
};

}  // namespace trainyard::packet
