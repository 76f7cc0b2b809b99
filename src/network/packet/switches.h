// What switches do with the packets that reach them in a window: port by port where ports share nothing, else
// all ports of a switch together. At one time, arrivals are ordered by input port, services by output port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/prefetch.h"
#include "network/packet/backlogs.h"
#include "network/packet/joined_ports.h"
#include "network/packet/ports.h"
#include "network/packet/separate_ports.h"
#include "network/packet/switch_memory.h"

namespace trainyard::packet {

template <class P>
class Switches {
 public:
  explicit Switches(Ports<P>& ports)
      : ports_(ports),
        backlogs_(ports),
        memory_(ports.layout, ports.rules, ports.priorities()),
        separate_(ports, backlogs_),
        joined_(ports, backlogs_, memory_) {}

  /// Whether nothing of what waits at switch n goes on in this window, unless something arrives. What waits
  /// there is noted.
  bool is_idle(Worker<P>& worker, std::uint32_t n) const {
    if (backlogs_.next(n) < ports_.windows.end()) return false;
    worker.left_waiting = std::max(worker.left_waiting, backlogs_.longest(n));
    return true;
  }

  /// What arrived at switch n in this window stands in `worker.arrivals`.
  void run(Worker<P>& worker, std::uint32_t n) {
    if (worker.arrivals.packets.size() > 1 && !ports_.layout.routes.empty())
      prefetch_routes(n, worker.arrivals.packets);
    if (!ports_.rules.ordered()) return separate_.run(worker, n, [](const P&) {});
    const Node& node = ports_.layout.nodes[n];
    if (memory_.enter_all(n, node, worker.arrivals.packets)) {
      separate_.template run<false>(worker, n, [&](const P& packet) { memory_.left(n, node, packet); });
    } else {
      joined_.run(worker, n);
    }
  }

  /// Fetches the ports of a switch that have a backlog; there need not be such a switch.
  [[gnu::always_inline]] void prefetch_backlog_ports(std::uint32_t n) const {
    if (!will_serve(n)) return;
    const std::uint32_t first = ports_.layout.nodes[n].first_port;
    for (const std::uint16_t port : backlogs_.of(n)) ports_.prefetch_port(first + port);
  }
  /// Fetches the packets that those serve first.
  [[gnu::always_inline]] void prefetch_backlog(std::uint32_t n) const {
    if (!will_serve(n)) return;
    const std::uint32_t first = ports_.layout.nodes[n].first_port;
    for (const std::uint16_t port : backlogs_.of(n)) ports_.prefetch(n, first + port);
  }
  /// Fetches what a node with a table of routes will look up for its arrivals; there need not be either.
  [[gnu::always_inline]] void prefetch_routes(const Inboxes<P>& inboxes, std::size_t slot,
                                              std::uint32_t n) const {
    const Layout& layout = ports_.layout;
    if (!is_switch(n)) return;
    backlogs_.prefetch(n);
    inboxes.peek(slot, n, kMostAhead,
                 [&](const P& packet) { layout.routes.prefetch(layout.nodes[n].block, packet); });
  }
  /// Fetches the ports by which they go on, and those that have a backlog.
  [[gnu::always_inline]] void prefetch_ports(const Inboxes<P>& inboxes, std::size_t slot,
                                             std::uint32_t n) const {
    const Layout& layout = ports_.layout;
    if (!is_switch(n)) return;
    const Node& node = layout.nodes[n];
    prefetch_line(&ports_.slabs[n]);
    inboxes.peek(slot, n, kMostAhead, [&](const P& packet) {
      const wiring::Way& so_far = packet;
      wiring::Way way = so_far;
      ports_.prefetch_port(node.first_port + layout.routes.take(node.block, way));
    });
    prefetch_backlog_ports(n);
  }
  /// Fetches where a packet would wait that reaches a node.
  [[gnu::always_inline]] void prefetch_room(const Inboxes<P>& inboxes, std::size_t slot,
                                            std::uint32_t n) const {
    if (is_switch(n) && !inboxes.empty(slot, n)) ports_.slabs[n].prefetch_free();
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(backlogs_, memory_);
    memory_.count_held(ports_.ports);
  }
  /// Whether a restored state belongs to the packets that wait.
  bool in_bounds() const { return memory_.in_bounds(ports_) && backlogs_.in_bounds(); }

 private:
  static constexpr std::size_t kMostAhead = 4;

  bool is_switch(std::uint32_t n) const {
    return n >= ports_.layout.leaves && n < ports_.layout.nodes.size();
  }
  /// Whether there is such a switch, and what waits there may go on in this window.
  bool will_serve(std::uint32_t n) const { return is_switch(n) && backlogs_.next(n) < ports_.windows.end(); }

  /// Of all arrivals at once: a table of routes is larger than caches, and waits for it add up.
  void prefetch_routes(std::uint32_t n, const std::vector<P>& arrivals) const {
    const std::uint32_t at = ports_.layout.nodes[n].block;
    for (const P& packet : arrivals) ports_.layout.routes.prefetch(at, packet);
  }

  Ports<P>& ports_;
  Backlogs<P> backlogs_;
  SwitchMemory memory_;
  SeparatePorts<P> separate_;
  JoinedPorts<P> joined_;
};

}  // namespace trainyard::packet
