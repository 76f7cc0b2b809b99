// What Acked remembers of a flow's sender and of its receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "network/packet/sequence_set.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/loss_probes.h"
#include "network/packet/transports/paced_turns.h"
#include "network/packet/transports/round_trip_time.h"
#include "network/packet/transports/scoreboard.h"
#include "network/wiring/paths.h"

namespace trainyard::packet {

/// In place of what a law has no use for; of several each is a type of its own, as no two take no room.
template <int kNumber>
struct NotKept {
  template <class Archive>
  void serialize(Archive&) {}
};

template <class Control>
struct AckedSender {
  static constexpr int kMostBackoff = 10;

  typename Control::State control;
  Scoreboard<Control::kGoBackN> board;
  bool listed = false;
  bool paced = false;
  bool timed = false;        // its timeout has an entry in the timers
  bool asked = false;        // for an acknowledgement that has not come
  std::uint8_t backoff = 0;  // doublings of the timeout
  Picoseconds next_send = 0;
  Picoseconds deadline = kNever;  // kNever: not begun, or done
  Picoseconds base_round_trip = 0;
  RoundTripTime round_trip;
  Picoseconds reduced = 0;  // what was sent before belongs to losses that have been answered
  [[no_unique_address]] std::conditional_t<Control::kGoBackN, NotKept<0>, LatestArrivals> latest;
  [[no_unique_address]] std::conditional_t<kProbes<Control>, LossProbe, NotKept<1>> probe;
  Paths::State paths;

  /// The timeout, `least` or more, after so many doublings.
  Picoseconds wait(Picoseconds least, std::uint8_t doublings) const {
    return std::max(least, round_trip.timeout()) << doublings;
  }
  /// It begins again.
  void set_deadline(Picoseconds now, Picoseconds least) { deadline = now + wait(least, backoff); }

  std::size_t bytes() const { return board.bytes(); }
  template <class Archive>
  void serialize(Archive& a) {
    a(control, board, listed, paced, timed, asked, backoff, next_send, deadline, base_round_trip, round_trip,
      reduced, latest, probe, paths);
  }
  bool in_bounds() const {
    if constexpr (kProbes<Control>) {
      if (!probe.in_bounds(board.packets)) return false;
    }
    return board.in_bounds() && backoff <= kMostBackoff && is_time(next_send) && round_trip.in_bounds();
  }
};

template <class Control>
struct AckedReceiver {
  [[no_unique_address]] std::conditional_t<Control::kGoBackN, NotKept<0>, SequenceSet> received;
  std::uint32_t count = 0;
  std::uint32_t expected = 0;
  bool complained = false;  // go-back-N: of the gap at hand
  typename Control::Notes notes;
  Paths::State paths;

  std::size_t bytes() const {
    if constexpr (Control::kGoBackN) {
      return 0;
    } else {
      return received.bytes();
    }
  }
  template <class Archive>
  void serialize(Archive& a) {
    a(received, count, expected, complained, notes, paths);
  }
};

template <class Control>
using AckedEnds = Ends<AckedSender<Control>, AckedReceiver<Control>, PacedHost>;

}  // namespace trainyard::packet
