// What one thread of the engine has to itself.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/agenda.h"
#include "network/packet/arrivals.h"
#include "network/packet/inboxes.h"
#include "network/packet/queueing.h"
#include "network/packet/switch_work.h"

namespace trainyard::packet {

template <class P>
struct Worker {
  Worker(std::size_t nodes, std::size_t slots, std::size_t chunk_bytes)
      : inboxes(nodes, slots, chunk_bytes) {}

  Inboxes<P> inboxes;
  Counters counters;
  std::int64_t waiting = 0;  // packets put into queues less those taken out; sums over workers count
  std::uint64_t delivered_bytes = 0;
  std::uint64_t left_waiting = 0;  // the most data at one port when the window ended
  std::vector<Release> releases;   // for other hosts, after this window
  std::vector<TraceEntry> trace;

  // Of the node at hand.
  Arrivals<P> arrivals;
  Onward<P> onward;                     // where the transport works in switches
  std::vector<std::uint16_t> backlog;   // ports that began the window with one
  std::vector<std::uint16_t> touched;   // ports
  std::vector<char> marked;             // by port: touched
  std::vector<std::uint64_t> services;  // a heap of times in the window and ports, the earliest first

  void make_room(std::uint32_t ports) {
    if (marked.size() < ports) marked.resize(ports, 0);
  }
  [[gnu::always_inline]] void touch(std::uint32_t port) {
    if (marked[port] != 0) return;
    marked[port] = 1;
    touched.push_back(static_cast<std::uint16_t>(port));
  }
};

}  // namespace trainyard::packet
