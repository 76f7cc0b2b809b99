// What a run of the packet engine gives, and how it ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "network/packet/packet.h"
#include "trainyard/packet_records.h"

namespace trainyard::packet {

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

struct RunOutcome {
  RunEnd end = RunEnd::done;
  Counters counters;
  Picoseconds now = 0;
  std::size_t bytes = 0;  // that engine and transport held at the end
  /// Of each flow, where nothing is sent again: bytes that did not arrive. Else empty.
  std::vector<std::uint64_t> lost_bytes;
  std::vector<TraceEntry> trace;
  std::vector<ProbeSeries> series;
  std::vector<LinkUse> up;            // from the hosts, then from each tier up
  std::vector<LinkUse> down;          // to the hosts, then to each tier from above
  std::vector<std::string> deadlock;  // ports that wait for each other, in a cycle
};

using WindowTick = std::function<bool(const WindowSummary&)>;

}  // namespace trainyard::packet
