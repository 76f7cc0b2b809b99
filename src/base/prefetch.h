// Fetching into the cache what will be read or written a little later.
#pragma once

#include <cstddef>

namespace trainyard {

/// The cache line of that place; it need not be memory. g++ takes a function that only fetches for one
/// without effects, and drops calls of it: the empty instruction is the effect.
[[gnu::always_inline]] inline void prefetch_line(const void* place) {
  __builtin_prefetch(place);
  asm volatile("" : : "r"(place));
}

/// All of an object.
template <class T>
[[gnu::always_inline]] inline void prefetch_lines(const T& object) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < sizeof(T); at += kLine)
    prefetch_line(reinterpret_cast<const std::byte*>(&object) + at);
}

}  // namespace trainyard
