// Numbers that look random, from numbers that do not.
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

}  // namespace trainyard
