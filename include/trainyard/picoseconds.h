// Simulated time: whole picoseconds, so that sums do not depend on their order.
#pragma once

#include <cmath>
#include <cstdint>

#include "trainyard/units.h"

namespace trainyard {

using Picoseconds = std::uint64_t;
constexpr Picoseconds kNever = ~Picoseconds{0};
constexpr double kPicosecondsPerSecond = 1e12;

/// The nearest whole picosecond of a time that is not negative and ends.
inline Picoseconds picoseconds(Seconds time) {
  return static_cast<Picoseconds>(std::llround(time.si() * kPicosecondsPerSecond));
}

constexpr Seconds seconds(Picoseconds time) {
  return Seconds(static_cast<double>(time) / kPicosecondsPerSecond);
}

}  // namespace trainyard
