// Which way a packet goes: where to, and the links up that its sender chose.
#pragma once

#include <cstdint>

namespace trainyard::wiring {

/// Where a packet goes: leaf and host of that leaf in one word.
constexpr std::uint32_t kHostBits = 12;
constexpr std::uint32_t address(std::uint32_t leaf, std::uint32_t host) { return (leaf << kHostBits) | host; }
constexpr std::uint32_t leaf_of(std::uint32_t address) { return address >> kHostBits; }
constexpr std::uint32_t host_of(std::uint32_t address) { return address & ((1U << kHostBits) - 1); }

/// The part of a packet that decides its way.
struct Way {
  std::uint32_t flow = 0;
  std::uint32_t sequence = 0;
  std::uint32_t to = 0;              // an address
  std::uint16_t up_leaf = 0;         // uplink to take at the leaf
  std::uint16_t up_aggregation = 0;  // uplink to take one tier higher
};

/// Both uplinks in one word.
constexpr std::uint32_t way_of(std::uint16_t up_leaf, std::uint16_t up_aggregation) {
  return (std::uint32_t{up_leaf} << 16U) | up_aggregation;
}

}  // namespace trainyard::wiring
