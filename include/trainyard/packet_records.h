// What a run of the packet engine counts, how links were used, traced packets, and how a run is saved.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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
  std::uint64_t duplicates = 0;     // data packets that receivers without memory took once more
  std::uint64_t replays = 0;        // packets sent again by a link (link-level retry)
  std::uint64_t finished = 0;       // flows
  std::uint64_t longest_queue = 0;  // bytes of data at one port

  template <class Archive>
  void serialize(Archive& a) {
    a(hops, events, drops, overflows, trims, marks, pauses, paused, blocked, corrupted, timeouts, repeats,
      duplicates, replays, finished, longest_queue);
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
    duplicates += other.duplicates;
    replays += other.replays;
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

/// What is to be looked at again and again: a port with its link, or a flow.
struct Probe {
  bool of_flow = false;
  std::uint32_t index = 0;   // of the port, or of the flow
  Picoseconds interval = 1;  // at least 1
  Picoseconds from = 0;
  Picoseconds until = kNever;
  std::string name = {};
};

/// A port at a time, and what it did since the sample before; of packets that were handled before that time.
struct QueueSample {
  Picoseconds time = 0;
  Picoseconds span = 0;             // since the sample before; 0: the first
  std::uint64_t queue_bytes = 0;    // of data that wait, without the packet that is being sent
  std::uint64_t control_bytes = 0;  // of headers and control packets that wait
  std::uint64_t longest_bytes = 0;  // the most data that waited in the span
  std::uint64_t sent_bytes = 0;     // of packets that began to leave
  Picoseconds busy = 0;             // of the span
  std::uint64_t marks = 0;
  std::uint64_t trims = 0;
  std::uint64_t drops = 0;
  std::uint64_t lost = 0;  // on the link

  template <class Archive>
  void serialize(Archive& a) {
    a(time, span, queue_bytes, control_bytes, longest_bytes, sent_bytes, busy, marks, trims, drops, lost);
  }
};

/// A flow at a time.
struct FlowSample {
  static constexpr double kNone = -1;  // the transport has no such thing

  Picoseconds time = 0;
  std::uint64_t received_bytes = 0;  // of payload, each packet once
  double window_packets = kNone;     // that its sender may have under way
  double rate_share = kNone;         // of its link's rate, at which it may send

  template <class Archive>
  void serialize(Archive& a) {
    a(time, received_bytes, window_packets, rate_share);
  }
};

/// What a probe has seen, in the order of time.
struct ProbeSeries {
  Probe probe;
  std::vector<QueueSample> queue;  // of a port
  std::vector<FlowSample> flow;    // of a flow
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
