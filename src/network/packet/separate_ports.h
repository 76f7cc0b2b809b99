// Switches whose ports share nothing, or nothing in the window at hand: each port is replayed by itself, with
// the fewest passes over memory.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/backlogs.h"
#include "network/packet/ports.h"
#include "network/packet/switch_work.h"

namespace trainyard::packet {

template <class P>
class SeparatePorts {
 public:
  SeparatePorts(Ports<P>& ports, Backlogs<P>& backlogs)
      : ports_(ports), layout_(ports.layout), backlogs_(backlogs) {}

  /// What arrived at switch n in this window stands in `worker.arrivals`. Calls `left(packet)` for what
  /// leaves; `limited`: queues have no more than their room.
  template <bool limited = true, class Left>
  void run(Worker<P>& worker, std::uint32_t n, const Left& left) {
    const Node& node = layout_.nodes[n];
    if (worker.arrivals.packets.size() == 1 && backlogs_.empty(n))
      return run_one<limited>(worker, n, node, worker.arrivals.packets.front(), left);
    const bool serves = backlogs_.next(n) < ports_.windows.end();
    std::vector<std::uint16_t>& backlog = worker.backlog;
    backlogs_.take(n, backlog);
    for (const std::uint16_t port : backlog) {
      if (serves) {
        ports_.prefetch(n, node.first_port + port);
      } else {
        ports_.prefetch_port(node.first_port + port);
      }
    }
    worker.arrivals.group(
        node.ports, ports_.windows, [&](P& packet) { return port_of(layout_, node, packet); },
        [&](std::uint32_t port) { ports_.prefetch_port(node.first_port + port); });
    for (const std::uint16_t port : backlog) {
      if (!worker.arrivals.has(port)) replay<limited>(worker, n, node.first_port, port, {}, left);
    }
    for (const std::uint16_t port : worker.arrivals.used())
      replay<limited>(worker, n, node.first_port, port, worker.arrivals.in_order(port), left);
  }

 private:
  /// A packet by itself, where nothing waits.
  template <bool limited, class Left>
  void run_one(Worker<P>& worker, std::uint32_t n, const Node& node, P& packet, const Left& left) {
    const auto port = static_cast<std::uint16_t>(port_of(layout_, node, packet));
    const std::uint32_t index = node.first_port + port;
    if (ports_.ports[index].free_at <= packet.arrival) {
      ports_.depart(worker, n, index, packet.arrival, packet);
      return left(packet);
    }
    ports_.wait(worker, n, index, packet, limited ? ports_.room(index) : kNever);
    ports_.serve(worker, n, index, ports_.windows.end() - 1, left);
    backlogs_.remember(worker, n, port);
  }

  template <bool limited, class Left>
  [[gnu::always_inline]] void replay(Worker<P>& worker, std::uint32_t n, std::uint32_t first_port,
                                     std::uint16_t port, typename Arrivals<P>::Range arrivals,
                                     const Left& left) {
    const std::uint32_t index = first_port + port;
    Port& out = ports_.ports[index];
    for (std::uint32_t k = arrivals.begin; k < arrivals.end; ++k) {
      const P& packet = worker.arrivals.at(k);
      ports_.serve(worker, n, index, packet.arrival, left);
      if (out.free_at <= packet.arrival) {
        ports_.depart(worker, n, index, packet.arrival, packet);
        left(packet);
      } else {
        ports_.wait(worker, n, index, packet, limited ? ports_.room(index) : kNever);
      }
    }
    ports_.serve(worker, n, index, ports_.windows.end() - 1, left);
    backlogs_.remember(worker, n, port);
  }

  Ports<P>& ports_;
  const Layout& layout_;
  Backlogs<P>& backlogs_;
};

}  // namespace trainyard::packet
