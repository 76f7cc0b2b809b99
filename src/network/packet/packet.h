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
  nack,  // the header of this packet arrived
  pull,  // permission to send one more
};

/// One packet. `arrival` is when its last bit reaches the node that holds it.
struct Packet {
  Picoseconds arrival = 0;
  std::uint32_t flow = 0;
  std::uint32_t sequence = 0;
  std::uint16_t up_leaf = 0;         // uplink to take at the leaf
  std::uint16_t up_aggregation = 0;  // uplink to take one tier higher
  std::uint16_t bytes = 0;
  std::uint16_t in_port = 0;  // of the node that holds it
  std::uint32_t to_leaf = 0;
  std::uint16_t to_host = 0;  // of that leaf
  PacketKind kind = PacketKind::data;
  std::uint8_t marks = 0;  // congestion marks
};
static_assert(sizeof(Packet) == 32, "packets fill half a cache line");

}  // namespace trainyard::packet
