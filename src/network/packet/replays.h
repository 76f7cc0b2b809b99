// What a link with link-level retry keeps until the other end has acknowledged it (UE 1.0, section 5.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "base/bounds.h"
#include "trainyard/picoseconds.h"

namespace trainyard::packet {

class ReplayBuffer {
 public:
  /// When there is room for so many bytes more among `most`; what is acknowledged until then is forgotten.
  /// A packet larger than that goes alone.
  Picoseconds room_at(Picoseconds now, std::uint32_t bytes, std::uint64_t most) {
    while (!held_.empty() && (held_.front().first <= now || sum_ + bytes > most)) {
      now = std::max(now, held_.front().first);
      sum_ -= held_.front().second;
      held_.pop_front();
    }
    return now;
  }
  /// A packet is acknowledged at that time, no earlier than those before it.
  void hold(Picoseconds until, std::uint32_t bytes) {
    held_.emplace_back(until, bytes);
    sum_ += bytes;
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(held_, sum_);
  }
  bool in_bounds(Picoseconds now) const {
    std::uint64_t sum = 0;
    for (const auto& [until, bytes] : held_) {
      if (until >= now + kLongest) return false;
      sum += bytes;
    }
    return sum == sum_;
  }

 private:
  std::deque<std::pair<Picoseconds, std::uint32_t>> held_;  // until when, and how much
  std::uint64_t sum_ = 0;
};

}  // namespace trainyard::packet
