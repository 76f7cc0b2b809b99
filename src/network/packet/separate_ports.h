// Switches whose ports share nothing: each port is replayed by itself, with the fewest passes over memory.
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

  /// What arrived at switch n in this window stands in `worker.arrivals`.
  void run(Worker<P>& worker, std::uint32_t n) {
    const Node& node = layout_.nodes[n];
    worker.make_room(node.ports);
    worker.arrivals.group(node.ports, ports_.windows, [&](P& packet) {
      const std::uint32_t port = port_of(layout_, node, packet);
      worker.touch(port);
      return port;
    });
    std::vector<std::uint16_t>& backlog = backlogs_.of(n);
    for (const std::uint16_t port : backlog) {
      worker.touch(port);
      ports_.prefetch(n, node.first_port + port);
    }
    backlog.clear();
    for (const std::uint16_t port : worker.touched) {
      worker.marked[port] = 0;
      replay(worker, node, n, port);
      backlogs_.remember(worker, n, port);
    }
    worker.touched.clear();
  }

 private:
  void replay(Worker<P>& worker, const Node& node, std::uint32_t n, std::uint16_t port) {
    const std::uint32_t index = node.first_port + port;
    const auto [begin, end] = worker.arrivals.in_order(port);
    Port& out = ports_.ports[index];
    for (std::uint32_t k = begin; k < end; ++k) {
      const P& packet = worker.arrivals.at(k);
      ports_.serve(worker, n, index, packet.arrival);
      if (out.free_at <= packet.arrival) {
        ports_.depart(worker, n, index, packet.arrival, packet);
      } else {
        ports_.wait(worker, n, index, packet, ports_.room(index));
      }
    }
    ports_.serve(worker, n, index, ports_.windows.end() - 1);
  }

  Ports<P>& ports_;
  const Layout& layout_;
  Backlogs<P>& backlogs_;
};

}  // namespace trainyard::packet
