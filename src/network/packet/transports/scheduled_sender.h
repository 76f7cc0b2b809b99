// Blocks of packets, and what a scheduled sender knows of its own: what is next, what has arrived, what to
// repair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "network/packet/transports/host_tools.h"
#include "network/wiring/paths.h"

namespace trainyard::packet {

struct BlockCode {
  std::uint32_t data = 1;    // packets of a block
  std::uint32_t parity = 0;  // beside them

  std::uint32_t blocks(std::uint32_t packets) const { return (packets + data - 1) / data; }
  /// Data packets of a block of a flow of so many.
  std::uint32_t data_of(std::uint32_t block, std::uint32_t packets) const {
    return std::min(data, packets - block * data);
  }
};

struct ScheduledSender {
  using Deadline = std::pair<Picoseconds, std::uint32_t>;  // of a block
  struct Repair {
    std::uint32_t block = 0;
    std::uint32_t packets = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(block, packets);
    }
  };
  struct Piece {
    std::uint32_t block = 0;
    std::uint32_t data_packet = 0;  // whose length this one has
    bool again = false;
    bool last = false;  // all packets of the block are under way
  };

  std::uint32_t next = 0;    // block
  std::uint32_t packet = 0;  // of it
  std::uint32_t done = 0;    // blocks that have arrived
  bool listed = false;       // in the turns
  bool paced = false;        // waits for its next time
  Picoseconds next_send = 0;
  Picoseconds word = 0;        // of the controller
  Picoseconds round_trip = 0;  // the longest so far
  Picoseconds full = 0;        // round trip through queues that are as full as a plan lets them become
  Picoseconds woken = kNever;  // the earliest of its entries in PacedHost::timeouts
  std::deque<Repair> repairs;
  std::vector<std::uint16_t> arrived;  // packets of each block, as far as is known
  std::vector<std::uint8_t> silences;  // of each block
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines;
  Paths::State paths;

  bool has_data() const { return !repairs.empty() || next < arrived.size(); }

  /// What is sent now, of a flow of so many packets; there is something.
  Piece take_next(const BlockCode& code, std::uint32_t packets) {
    if (!repairs.empty()) {
      Repair& repair = repairs.front();
      const std::uint32_t block = repair.block;
      const bool last = --repair.packets == 0;
      if (last) repairs.pop_front();
      return {block, 0, true, last};
    }
    const std::uint32_t block = next;
    const std::uint32_t data = code.data_of(block, packets);
    const std::uint32_t data_packet = packet < data ? packet : 0;
    const bool last = ++packet == data + code.parity;
    if (last) {
      packet = 0;
      ++next;
    }
    return {block, data_packet, false, last};
  }

  /// A block is under way: when it should be known to have arrived, at least `least` from now. What waits in
  /// a queue is not lost.
  void expect(std::uint32_t block, Picoseconds now, Picoseconds least) {
    const Picoseconds silence = std::max(round_trip + round_trip / kMarginPart, full);
    deadlines.push({now + least + (silence << std::max(0, silences[block] - kPatience)), block});
  }
  /// Plans repairs of the blocks that should have arrived; returns how many.
  std::uint32_t repair_late(Picoseconds now, const BlockCode& code, std::uint32_t packets) {
    std::uint32_t late = 0;
    while (!deadlines.empty() && deadlines.top().first <= now) {
      const std::uint32_t block = deadlines.top().second;
      deadlines.pop();
      const std::uint32_t data = code.data_of(block, packets);
      if (arrived[block] >= data) continue;
      ++late;
      silences[block] = static_cast<std::uint8_t>(std::min(silences[block] + 1, kMostBackoff));
      repairs.push_back({block, data - arrived[block] + code.parity});
    }
    return late;
  }

  std::size_t held_bytes() const {
    constexpr std::size_t kBytesOfBlock = 5;  // receivers' included
    return arrived.capacity() * kBytesOfBlock + deadlines.size() * sizeof(Deadline);
  }
  template <class Archive>
  void serialize(Archive& a) {
    a(next, packet, done, listed, paced, next_send, word, round_trip, full, woken, repairs);
    serialize_tables(a, arrived, silences);
    a(deadlines, paths);
  }
  /// Whether a restored state can go on.
  bool in_bounds(const BlockCode& code) const;

 private:
  static constexpr Picoseconds kMarginPart = 8;  // of a round trip, for queues
  static constexpr int kPatience = 3;            // silences of a block before it is waited for longer
  static constexpr int kMostBackoff = 13;
};

}  // namespace trainyard::packet
