// What a run of the packet engine counts, how links were used, traced packets, and how a run is saved.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trainyard/picoseconds.h"
#include "trainyard/units.h"

namespace trainyard::packet {

enum class PacketKind : std::uint8_t {
  data,
  header,  // data whose payload a switch cut off
  ack,
  nack,   // the header of this packet arrived, or what came is out of order
  pull,   // permission to send
  pause,  // of one priority of the link, or its end
};

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

/// Of one link, both directions.
struct LinkUse {
  std::uint64_t bytes = 0;
  std::uint32_t ports = 0;
  std::uint64_t most_bytes = 0;  // of one port
  double picoseconds_per_byte = 0;
};

/// When a run is saved and what it continues.
struct CheckpointRules {
  /// To write; empty: none. What is there already has to be the checkpoint that `resume` continues.
  std::string file = {};
  Seconds every{60};                                  // on the wall
  std::string resume = {};                            // the file to continue from; empty: from the start
  std::function<bool()> stop = {};                    // asked once a window: save once more and end
  std::function<void(const std::string&)> warn = {};  // a checkpoint could not be written; the run goes on
  std::function<void()> saved = {};                   // one was written

  bool wanted() const { return !file.empty() || !resume.empty(); }
};

}  // namespace trainyard::packet
