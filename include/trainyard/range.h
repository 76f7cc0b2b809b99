// Which values a number may have.
#pragma once

#include <limits>

namespace trainyard {

/// Allowed values of a number, in base units.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;

  bool contains(double v) const { return (low_excluded ? v > low : v >= low) && v <= high; }
};

constexpr Range anything() { return {}; }
constexpr Range positive() { return {0, std::numeric_limits<double>::infinity(), true}; }
constexpr Range at_least(double low) { return {low, std::numeric_limits<double>::infinity(), false}; }
constexpr Range between(double low, double high) { return {low, high, false}; }
/// More than zero and at most one.
constexpr Range share() { return {0, 1, true}; }

/// Seconds, 11.57 days: no simulated run lasts longer.
constexpr double kLongestRun = 1e6;
/// More than no time, and no more than a run lasts.
constexpr Range within_run() { return {0, kLongestRun, true}; }

}  // namespace trainyard
