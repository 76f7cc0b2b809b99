// What Homa (homa.h) remembers of messages and hosts, and what it sends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "network/packet/packet.h"
#include "network/packet/sequence_set.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/host_tools.h"
#include "network/wiring/paths.h"

namespace trainyard::packet {

struct HomaRules {
  std::uint32_t unscheduled_packets = 50;  // RTTbytes
  std::uint32_t granted_packets = 50;      // ahead of what has come
  std::uint32_t overcommitment = 7;
  std::uint32_t unscheduled_priorities = 1;
};

/// Grants: packets before `sequence` may be sent, with priority `data_priority`. Requests for repeats:
/// `count` packets from `sequence` on.
struct HomaPacket : Packet {
  std::uint32_t count = 0;
  std::uint32_t data_priority = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<Packet&>(*this), count, data_priority);
  }
  bool in_bounds() const { return data_priority < kMostPriorities; }
};

constexpr std::size_t kHomaSetNode = 48;  // bytes

struct HomaSender {
  std::set<std::uint32_t> repeats;
  std::uint32_t packets = 0;
  std::uint32_t next = 0;
  std::uint32_t granted = 0;
  std::uint8_t unscheduled_priority = kDataPriority;
  std::uint8_t scheduled_priority = kDataPriority;
  bool listed = false;
  Picoseconds deadline = kNever;
  Paths::State paths;

  std::size_t bytes() const { return repeats.size() * kHomaSetNode; }
  bool may_send() const { return !repeats.empty() || next < granted; }

  template <class Archive>
  void serialize(Archive& a) {
    a(repeats, packets, next, granted, unscheduled_priority, scheduled_priority, listed, deadline, paths);
  }
};

struct HomaReceiver {
  SequenceSet received;
  std::uint32_t count = 0;
  std::uint32_t granted = 0;
  bool known = false;
  Picoseconds deadline = kNever;
  Paths::State paths;

  std::size_t bytes() const { return received.bytes(); }
  template <class Archive>
  void serialize(Archive& a) {
    a(received, count, granted, known, deadline, paths);
  }
};

/// Messages that may send, the shortest first.
class ShortestFirst {
 public:
  /// Packets left, and the message.
  using Left = std::pair<std::uint32_t, std::uint32_t>;

  void add(std::uint32_t packets_left, std::uint32_t message) { heap_.push({packets_left, message}); }
  /// The first message that may go, or kNobody.
  template <class Usable>
  std::uint32_t take(const Usable& usable) {
    std::vector<Left> passed;  // for planes that are down
    std::uint32_t out = kNobody;
    while (out == kNobody && !heap_.empty()) {
      const Left first = heap_.top();
      heap_.pop();
      if (usable(first.second)) {
        out = first.second;
      } else {
        passed.push_back(first);
      }
    }
    for (const Left& left : passed) heap_.push(left);
    return out;
  }
  /// Takes a message out; whether it was there.
  bool leave(std::uint32_t message) {
    Heap others;
    const std::size_t before = heap_.size();
    for (; !heap_.empty(); heap_.pop()) {
      if (heap_.top().second != message) others.push(heap_.top());
    }
    heap_ = std::move(others);
    return heap_.size() < before;
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(heap_);
  }
  /// Whether `holds(message)` for all of them.
  template <class Holds>
  bool all(const Holds& holds) const {
    for (Heap left = heap_; !left.empty(); left.pop()) {
      if (!holds(left.top().second)) return false;
    }
    return true;
  }

 private:
  using Heap = std::priority_queue<Left, std::vector<Left>, std::greater<>>;
  Heap heap_;
};

struct HomaHost {
  using Left = ShortestFirst::Left;

  std::vector<ShortestFirst> sending;  // one for each plane where flows are bound to planes
  std::set<Left> receiving;            // messages that are not granted in full
  Timers send_timeouts;
  Timers receive_timeouts;

  Picoseconds next_wake() const { return std::min(send_timeouts.next(), receive_timeouts.next()); }

  std::size_t bytes() const { return receiving.size() * kHomaSetNode; }
  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, sending);
    a(receiving, send_timeouts, receive_timeouts);
  }
};

using HomaEnds = Ends<HomaSender, HomaReceiver, HomaHost>;

}  // namespace trainyard::packet
