// What travels: one fixed record, copied from node to node.
#pragma once

#include <cstdint>

namespace trainyard::packet {

/// Simulated time in picoseconds.
using Picoseconds = std::uint64_t;
constexpr Picoseconds kNever = ~Picoseconds{0};
constexpr double kPicosecondsPerSecond = 1e12;

enum class PacketKind : std::uint8_t {
  data,
  header,  // data whose payload a switch cut off
  ack,
  nack,   // the header of this packet arrived, or what came is out of order
  pull,   // permission to send
  pause,  // of one priority of the link, or its end
};

/// Strict priorities, the lowest number first. Pause frames have one of their own that nothing stops.
constexpr std::uint8_t kLinkPriority = 0;
constexpr std::uint8_t kControlPriority = 1;
constexpr std::uint8_t kDataPriority = 2;  // the first of data
constexpr std::uint8_t kDataPriorities = 8;
constexpr std::uint8_t kMostPriorities = kDataPriority + kDataPriorities;

/// Where a packet goes: leaf and host of that leaf in one word.
constexpr std::uint32_t kHostBits = 12;
constexpr std::uint32_t address(std::uint32_t leaf, std::uint32_t host) { return (leaf << kHostBits) | host; }
constexpr std::uint32_t leaf_of(std::uint32_t address) { return address >> kHostBits; }
constexpr std::uint32_t host_of(std::uint32_t address) { return address & ((1U << kHostBits) - 1); }

/// One packet. `arrival` is when its last bit reaches the node that holds it; with cut-through switching, the
/// last bit of its header.
struct Packet {
  /// Congestion experienced (RFC 3168); the other bits of `marks` are the transport's.
  static constexpr std::uint8_t kCongested = 0x80;

  Picoseconds arrival = 0;
  std::uint32_t flow = 0;
  std::uint32_t sequence = 0;
  std::uint32_t to = 0;
  std::uint16_t up_leaf = 0;         // uplink to take at the leaf
  std::uint16_t up_aggregation = 0;  // uplink to take one tier higher
  std::uint16_t bytes = 0;
  std::uint16_t in_port = 0;  // of the node that holds it
  PacketKind kind = PacketKind::data;
  std::uint8_t priority = kDataPriority;
  std::uint8_t marks = 0;
  std::uint8_t reserve = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(arrival, flow, sequence, to, up_leaf, up_aggregation, bytes, in_port, kind, priority, marks, reserve);
  }

  bool congested() const { return (marks & kCongested) != 0; }
};
static_assert(sizeof(Packet) == 32, "packets fill half a cache line");

}  // namespace trainyard::packet
