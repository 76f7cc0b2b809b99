// How many points a thread of a search takes at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trainyard {

/// As many as a thread plans in some milliseconds: twice as many after a short time, half after a long one.
class PartSize {
 public:
  static constexpr std::chrono::milliseconds kShort{5};
  static constexpr std::chrono::milliseconds kLong{50};
  static constexpr std::uint64_t kMost = 65536;

  /// At least one.
  std::uint64_t points() const { return points_; }

  /// `took`: the part of points().
  void learn(std::chrono::nanoseconds took) {
    if (took < kShort) points_ = std::min(points_ * 2, kMost);
    if (took > kLong) points_ = std::max(points_ / 2, std::uint64_t{1});
  }

 private:
  std::uint64_t points_ = 16;
};

}  // namespace trainyard
