// Round trips as a sender has measured them (RFC 6298).
#pragma once

#include <algorithm>

#include "base/bounds.h"
#include "trainyard/picoseconds.h"

namespace trainyard::packet {

struct RoundTripTime {
  Picoseconds smooth = 0;     // 0: none has been measured
  Picoseconds variation = 0;  // of it
  Picoseconds longest = 0;    // of late: forgotten bit by bit

  void measure(Picoseconds round_trip) {
    longest = std::max(longest - longest / kMemory, round_trip);
    if (smooth == 0) {
      smooth = round_trip;
      variation = round_trip / 2;
      return;
    }
    const Picoseconds off = round_trip > smooth ? round_trip - smooth : smooth - round_trip;
    variation = (3 * variation + off) / 4;
    smooth = (7 * smooth + round_trip) / 8;
  }
  /// For which a sender waits in silence.
  Picoseconds timeout() const { return smooth + 4 * variation; }
  /// After which not even a slow way answers, as far as is known.
  Picoseconds patience() const { return 2 * std::max(timeout(), longest); }

  template <class Archive>
  void serialize(Archive& a) {
    a(smooth, variation, longest);
  }
  bool in_bounds() const { return smooth < kLongest && variation < kLongest && longest < kLongest; }

 private:
  /// Answers in which two thirds of a long round trip are forgotten: several windows of some 50 packets, so
  /// that a slow way that is taken now and then stays known.
  static constexpr Picoseconds kMemory = 256;
};

}  // namespace trainyard::packet
