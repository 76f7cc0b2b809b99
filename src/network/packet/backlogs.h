// Ports of switches that begin a window with waiting packets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/prefetch.h"
#include "network/packet/ports.h"

namespace trainyard::packet {

template <class P>
class Backlogs {
 public:
  explicit Backlogs(Ports<P>& ports)
      : ports_(ports),
        ports_of_(ports.layout.nodes.size()),
        next_(ports.layout.nodes.size(), kNever),
        longest_(ports.layout.nodes.size(), 0) {}

  /// Ports of switch n, in no order.
  const std::vector<std::uint16_t>& of(std::uint32_t n) const { return ports_of_[n]; }
  bool empty(std::uint32_t n) const { return ports_of_[n].empty(); }
  /// Fetches which they are.
  void prefetch(std::uint32_t n) const {
    if (!ports_of_[n].empty()) prefetch_line(ports_of_[n].data());
  }
  /// Hands them over, to be remembered anew.
  void take(std::uint32_t n, std::vector<std::uint16_t>& out) {
    out.clear();
    out.swap(ports_of_[n]);
    next_[n] = kNever;
    longest_[n] = 0;
  }
  /// Before that time none of them serves anything, if nothing else happens.
  Picoseconds next(std::uint32_t n) const { return next_[n]; }
  /// The most data at one of them.
  std::uint64_t longest(std::uint32_t n) const { return longest_[n]; }

  /// At the end of a window: whether something waits at that port.
  [[gnu::always_inline]] void remember(Worker<P>& worker, std::uint32_t n, std::uint16_t port) {
    const Port& p = ports_.ports[ports_.layout.nodes[n].first_port + port];
    if (p.waiting == 0) return;
    ports_of_[n].push_back(port);
    worker.left_waiting = std::max(worker.left_waiting, p.data_bytes);
    note(n, p);
  }

  template <class Archive>
  void serialize(Archive& a) {
    for (std::vector<std::uint16_t>& ports : ports_of_) {
      std::sort(ports.begin(), ports.end());  // the order means nothing
      a(ports);
    }
    if constexpr (Archive::is_loading::value) {
      for (std::uint32_t n = 0; n < ports_of_.size(); ++n) {
        const Node& node = ports_.layout.nodes[n];
        for (const std::uint16_t port : ports_of_[n])
          if (port < node.ports) note(n, ports_.ports[node.first_port + port]);
      }
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
  [[gnu::always_inline]] void note(std::uint32_t n, const Port& port) {
    // Where all ports of a switch go on together, others than this one may have it serve.
    next_[n] = std::min(next_[n], ports_.rules.ordered() ? 0 : port.free_at);
    longest_[n] = std::max(longest_[n], port.data_bytes);
  }

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
  std::vector<Picoseconds> next_;       // of each node
  std::vector<std::uint64_t> longest_;  // of each node
};

}  // namespace trainyard::packet
