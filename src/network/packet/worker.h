// What one thread of the engine has to itself.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/inboxes.h"
#include "network/packet/queueing.h"
#include "network/packet/run_outcome.h"

namespace trainyard::packet {

/// A flow may begin at a host, as far as one of its conditions goes.
struct Release {
  Picoseconds time = 0;
  std::uint32_t host = 0;
  std::uint32_t flow = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(time, host, flow);
  }
  bool operator>(const Release& other) const {
    return time != other.time ? time > other.time : flow > other.flow;
  }
};

template <class P>
struct Worker {
  Worker(std::size_t nodes, std::size_t slots) : inboxes(nodes, slots) {}

  /// The order of an arrival among those of a window: by time, then by input port.
  struct Key {
    std::uint64_t order;
    std::uint32_t index;
  };

  Inboxes<P> inboxes;
  Counters counters;
  std::int64_t waiting = 0;  // packets put into queues less those taken out; sums over workers count
  std::uint64_t delivered_bytes = 0;
  std::vector<Release> releases;  // for other hosts, after this window
  std::vector<TraceEntry> trace;

  // Of the node at hand.
  std::vector<P> arrived;
  std::vector<std::uint16_t> out_ports;
  std::vector<std::uint16_t> touched;
  std::vector<char> marked;
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> place;
  std::vector<Key> keys;
  std::vector<Key> unsorted;
  std::vector<std::pair<Picoseconds, std::uint32_t>> services;  // a heap, the earliest first

  void make_room(std::uint32_t ports) {
    if (marked.size() >= ports) return;
    marked.resize(ports, 0);
    first.resize(ports + 1U, 0);
  }

  /// Insertion sort of keys [begin, end): few, or nearly in order.
  [[gnu::always_inline]] void order(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      const Key key = keys[i];
      std::uint32_t at = i;
      for (; at > begin && keys[at - 1].order > key.order; --at) keys[at] = keys[at - 1];
      keys[at] = key;
    }
  }
};

}  // namespace trainyard::packet
