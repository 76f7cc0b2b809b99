// Numbers that look random, from numbers that do not: random choices are hashes of what they are for, never
// of an order of events.
#pragma once

#include <cstdint>

namespace trainyard {

/// SplitMix64 (Steele et al. 2014): one to one, every bit of the result depends on every bit of x.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

/// Of two, in this order.
constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return mixed(mixed(a) ^ b); }

/// A whole number below `limit` from a hash, without division.
constexpr std::uint32_t below(std::uint64_t hash, std::uint32_t limit) {
  return static_cast<std::uint32_t>(((hash >> 32U) * limit) >> 32U);
}

/// A number in (0, 1] from a hash.
constexpr double uniform_share(std::uint64_t hash) {
  return static_cast<double>((hash >> 11U) + 1) * 0x1p-53;
}

/// A number in (0, 1).
constexpr double uniform_inside(std::uint64_t hash) {
  return (static_cast<double>(hash >> 12U) + 0.5) * 0x1p-52;
}

}  // namespace trainyard
