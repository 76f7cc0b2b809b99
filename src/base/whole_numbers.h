// Whole numbers: positions in containers, and parts of counts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trainyard {

/// Counts are signed, positions in containers are not.
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// a / b, rounded up; neither is negative.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The multiples of `step` around a value, neither negative.
constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return ceil_div(value, step) * step;
}
constexpr std::int64_t rounded_down(std::int64_t value, std::int64_t step) { return value / step * step; }

}  // namespace trainyard
