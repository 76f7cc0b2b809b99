// Numbers that several threads and ranks work on, cut as they go.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace trainyard {

/// The numbers from `begin` to before `end`.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What is left of a stretch. Any thread takes from it.
class Stretches {
 public:
  void begin(Stretch all) {
    next_ = all.begin;
    end_ = all.end;
  }

  /// The next numbers, at most so many; nothing when all are taken.
  std::optional<Stretch> take(std::uint64_t at_most) {
    const std::uint64_t end = end_;
    std::uint64_t begin = next_;
    while (begin < end) {
      const std::uint64_t to = begin + std::min(std::max<std::uint64_t>(1, at_most), end - begin);
      if (next_.compare_exchange_weak(begin, to)) return Stretch{begin, to};
    }
    return std::nullopt;
  }

  std::uint64_t left() const {
    const std::uint64_t next = next_;
    return next < end_ ? end_ - next : 0;
  }

  /// Nobody takes more: something failed.
  void stop() { end_ = 0; }
  bool stopped() const { return end_ < next_; }

 private:
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> end_{0};
};

}  // namespace trainyard
