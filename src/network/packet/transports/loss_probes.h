// Probes of senders that hear nothing (uet-htsim's sleek): a packet without payload that waits in queues as
// data does.
#pragma once

#include <cstdint>

#include "base/bounds.h"
#include "trainyard/picoseconds.h"

namespace trainyard::packet {

/// Laws that may probe say after which silence.
template <class Control>
constexpr bool kProbes =
    !Control::kGoBackN && requires(const Control law, const typename Control::State& state) {
  law.probe_after(state, /*more=*/true);
};

/// What a flow's sender knows of its probes.
struct LossProbe {
  static constexpr Picoseconds kRoundTripsToNext = 5;

  Picoseconds due = kNever;    // kNever: nothing is under way
  std::uint32_t sequence = 0;  // that its receiver has, by which an answer names itself
  bool timed = false;          // it has an entry in the timers

  template <class Archive>
  void serialize(Archive& a) {
    a(due, sequence, timed);
  }
  /// Whether a restored one can go out, of so many packets.
  bool in_bounds(std::uint32_t packets) const {
    return due == kNever || (is_time(due) && sequence < packets);
  }
};

}  // namespace trainyard::packet
