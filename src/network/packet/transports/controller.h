// A central controller that is late, inexact, or dead for a while.
#pragma once

#include <cstdint>

#include "base/mixing.h"
#include "network/packet/packet.h"
#include "trainyard/transports/scheduled.h"

namespace trainyard::packet {

struct Controller {
  Picoseconds delay = 0;
  double error = 0;
  Picoseconds dead_from = kNever;
  Picoseconds dead_until = kNever;
  double fallback = 0;  // of the host's link, without its word

  /// Throws InputError for one that never answers.
  static Controller of(const ScheduledInput& input);

  /// The longest time from a flow's beginning to its word, of one that gives it.
  Picoseconds longest_wait() const {
    const bool comes_back = dead_from != kNever && dead_until != kNever;
    return delay + (comes_back ? dead_until - dead_from : 0);
  }
  /// When the sender of a flow that begins now has its rate.
  Picoseconds word(Picoseconds now) const {
    if (now < dead_from || now >= dead_until) return now + delay;
    return dead_until == kNever ? kNever : dead_until + delay;
  }
  /// What it says of a rate, of what is right.
  double accuracy(std::uint32_t flow, std::uint64_t seed) const {
    return 1 + error * (static_cast<double>(mixed(seed, flow) >> 11U) * 0x1p-52 - 1);
  }
};

}  // namespace trainyard::packet
