// When the parts of a case fail in one run: a stream of random times for each way to fail.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/mixing.h"
#include "goodput/case_times.h"
#include "goodput/goodput_parts.h"

namespace trainyard {

/// What a random number is for, beside the time of a failure.
enum class Draw : std::uint64_t { kept = 1, found, repaired };

inline double share_of(std::uint64_t tag, Draw draw) {
  return uniform_share(mixed(tag, static_cast<std::uint64_t>(draw)));
}

struct DueFailure {
  std::uint32_t mode = 0;
  std::uint64_t tag = 0;  // its random number
  bool happens = true;    // rates that fall with age are thinned from their bound
};

class FailureStreams {
 public:
  FailureStreams(const GoodputCase& c, std::int64_t run, std::int64_t period_ns)
      : c_(c),
        period_ns_(period_ns),
        window_ns_(c.wear_time ? window(c.wear_time->si(), period_ns) : period_ns),
        streams_(c.modes.size()),
        next_(c.modes.size()) {
    const std::uint64_t key =
        mixed(mixed(static_cast<std::uint64_t>(c.seed), static_cast<std::uint64_t>(run)), 0);
    for (std::size_t m = 0; m < streams_.size(); ++m) {
      streams_[m].key = mixed(key, m + 1);
      next_[m] = c.modes[m].rate_per_s > 0 ? next_time(m, 0) : kNeverComes;
    }
    find_first();
  }

  /// Time of the first that is due.
  std::int64_t first() const { return next_.empty() ? kNeverComes : next_[first_]; }

  /// Takes the first, whose time is `now`.
  DueFailure take(std::int64_t now) {
    const std::size_t m = first_;
    const std::uint64_t tag = mixed(streams_[m].key + streams_[m].drawn);
    next_[m] = next_time(m, now);
    find_first();
    return {static_cast<std::uint32_t>(m), tag, happens(c_.modes[m], tag, now)};
  }

 private:
  struct Stream {
    std::uint64_t key = 0;
    std::uint64_t drawn = 0;
  };

  void find_first() {
    first_ = static_cast<std::size_t>(std::min_element(next_.begin(), next_.end()) - next_.begin());
  }

  /// Of parts that wear out, in which one bound does.
  static std::int64_t window(double wear_s, std::int64_t period_ns) {
    constexpr std::int64_t kOfWear = 8;
    constexpr std::int64_t kMost = 4096;
    return std::max({std::int64_t{1}, nanoseconds(wear_s) / kOfWear, period_ns / kMost});
  }

  std::int64_t window_end(std::int64_t now) const {
    return std::min(period_ns_, (now / window_ns_ + 1) * window_ns_);
  }

  /// Of the hazard from `now` on to the window's end.
  double bound(const FailureMode& mode, std::int64_t now) const {
    if (!mode.ages) return 1;
    const std::int64_t begin = now / window_ns_ * window_ns_;
    return most_hazard(c_, static_cast<double>(begin) / kNanoseconds,
                       static_cast<double>(window_end(now)) / kNanoseconds);
  }

  bool happens(const FailureMode& mode, std::uint64_t tag, std::int64_t now) const {
    const double most = bound(mode, now);
    if (most <= 1) return true;
    return share_of(tag, Draw::kept) * most <= hazard_at(c_, static_cast<double>(now) / kNanoseconds);
  }

  std::int64_t next_time(std::size_t mode, std::int64_t from) {
    Stream& s = streams_[mode];
    while (from < period_ns_) {
      const double rate = c_.modes[mode].rate_per_s * bound(c_.modes[mode], from);
      const double wait = -std::log(uniform_share(mixed(s.key + ++s.drawn))) * (kNanoseconds / rate);
      const std::int64_t end = window_end(from);
      if (wait < static_cast<double>(end - from)) return from + static_cast<std::int64_t>(wait) + 1;
      from = end;
    }
    return kNeverComes;
  }

  const GoodputCase& c_;
  std::int64_t period_ns_;
  std::int64_t window_ns_;
  std::vector<Stream> streams_;
  std::vector<std::int64_t> next_;  // failure of each mode
  std::size_t first_ = 0;           // the mode that fails first
};

}  // namespace trainyard
