// How long a byte takes on a link, finer than a picosecond.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>

#include "trainyard/picoseconds.h"

namespace trainyard::wiring {

/// In parts of 2^-20 ps: exact where a byte takes whole picoseconds (100, 200, 400, 800 Gbps, ...), else
/// within 5e-7 ps. Times of packets are rounded down to picoseconds.
class ByteTime {
 public:
  // From 8e15 to 1 bit/s.
  static constexpr double kLeast = 1e-3;
  static constexpr double kMost = 8e12;

  constexpr ByteTime(std::uint64_t picoseconds)  // NOLINT(google-explicit-constructor)
      : parts_(picoseconds << kBits) {}
  /// Within [kLeast, kMost].
  static ByteTime of(double picoseconds) {
    ByteTime out(0);
    out.parts_ = static_cast<std::uint64_t>(std::llround(picoseconds * (1U << kBits)));
    return out;
  }

  constexpr Picoseconds of_bytes(std::uint64_t bytes) const {
    return static_cast<Picoseconds>((Wide{bytes} * parts_) >> kBits);
  }
  /// That fit into a time, rounded up; at most kMostBytes.
  constexpr std::uint64_t bytes_in(Picoseconds time) const {
    return static_cast<std::uint64_t>(std::min(((Wide{time} << kBits) + parts_ - 1) / parts_, kMostBytes));
  }
  constexpr explicit operator double() const { return static_cast<double>(parts_) / (1U << kBits); }
  constexpr std::uint64_t parts() const { return parts_; }

  constexpr auto operator<=>(const ByteTime&) const = default;
  friend constexpr Picoseconds operator*(std::uint64_t bytes, ByteTime time) { return time.of_bytes(bytes); }
  friend constexpr Picoseconds operator*(ByteTime time, std::uint64_t bytes) { return time.of_bytes(bytes); }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr unsigned kBits = 20;
  static constexpr Wide kMostBytes = Wide{1} << 62U;  // more than any buffer, with room for sums

  std::uint64_t parts_;
};

}  // namespace trainyard::wiring
