// What a run of the packet engine gives: counters, how links were used, traced packets, and how it ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "network/packet/packet.h"

namespace trainyard::packet {

/// Whole numbers only, so that sums do not depend on their order.
struct Counters {
  std::uint64_t hops = 0;    // packets served by a port
  std::uint64_t events = 0;  // arrivals, starts and wake-ups at hosts
  std::uint64_t drops = 0;
  std::uint64_t overflows = 0;  // drops in spite of pauses
  std::uint64_t trims = 0;
  std::uint64_t marks = 0;
  std::uint64_t pauses = 0;     // pause frames sent
  Picoseconds paused = 0;       // summed over ports
  Picoseconds blocked = 0;      // of it, while packets waited for the port
  std::uint64_t corrupted = 0;  // lost on links, by bit errors or because the link was down
  std::uint64_t timeouts = 0;
  std::uint64_t repeats = 0;        // data packets sent again
  std::uint64_t finished = 0;       // flows
  std::uint64_t longest_queue = 0;  // bytes of data at one port

  template <class Archive>
  void serialize(Archive& a) {
    a(hops, events, drops, overflows, trims, marks, pauses, paused, blocked, corrupted, timeouts, repeats,
      finished, longest_queue);
  }

  void add(const Counters& other) {
    hops += other.hops;
    events += other.events;
    drops += other.drops;
    overflows += other.overflows;
    trims += other.trims;
    marks += other.marks;
    pauses += other.pauses;
    paused += other.paused;
    blocked += other.blocked;
    corrupted += other.corrupted;
    timeouts += other.timeouts;
    repeats += other.repeats;
    finished += other.finished;
    if (other.longest_queue > longest_queue) longest_queue = other.longest_queue;
  }
};

enum class TraceEvent : std::uint8_t { sent, queued, left, received, cut, dropped, lost };

/// One event of a packet whose flow is traced.
struct TraceEntry {
  Picoseconds time = 0;
  std::uint32_t node = 0;
  std::uint32_t port = 0;  // of the node
  std::uint32_t flow = 0;
  std::uint32_t sequence = 0;
  std::uint16_t bytes = 0;
  PacketKind kind = PacketKind::data;
  TraceEvent event = TraceEvent::left;

  template <class Archive>
  void serialize(Archive& a) {
    a(time, node, port, flow, sequence, bytes, kind, event);
  }
};

/// What a window ended with, for charts and progress.
struct WindowSummary {
  Picoseconds begin = 0;
  std::uint64_t finished = 0;  // flows since the start
  std::uint64_t longest_queue = 0;
  std::uint64_t delivered_bytes = 0;  // since the start
  std::int64_t waiting = 0;           // packets in queues
  std::uint64_t in_flight = 0;
  std::uint64_t events = 0;  // since the start

  template <class Archive>
  void serialize(Archive& a) {
    a(begin, finished, longest_queue, delivered_bytes, waiting, in_flight, events);
  }
};

enum class RunEnd { done, stopped, deadlock, overflow };

/// Of one link, both directions.
struct LinkUse {
  std::uint64_t bytes = 0;
  std::uint32_t ports = 0;
  std::uint64_t most_bytes = 0;  // of one port
  double picoseconds_per_byte = 0;
};

struct RunOutcome {
  RunEnd end = RunEnd::done;
  Counters counters;
  Picoseconds now = 0;
  std::size_t bytes = 0;  // that engine and transport held at the end
  std::vector<TraceEntry> trace;
  std::vector<LinkUse> up;            // from the hosts, then from each tier up
  std::vector<LinkUse> down;          // to the hosts, then to each tier from above
  std::vector<std::string> deadlock;  // ports that wait for each other
};

using WindowTick = std::function<bool(const WindowSummary&)>;

}  // namespace trainyard::packet
