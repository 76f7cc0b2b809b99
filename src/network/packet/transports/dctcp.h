// DCTCP (Alizadeh et al. 2010; RFC 8257): the window shrinks by the share of packets that were marked.
#pragma once

#include <algorithm>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

class Dctcp {
 public:
  using Packet = AckedPacket;
  static constexpr bool kGoBackN = false;

  struct State {
    double window = 10;
    double slow_start_below = 1e9;
    double marked_share = 1;  // alpha
    double acknowledged = 0;  // in the window at hand
    double marked = 0;        // of them
    double round = 0;         // packets of the window at hand

    template <class Archive>
    void serialize(Archive& a) {
      a(window, slow_start_below, marked_share, acknowledged, marked, round);
    }
  };
  struct Notes {};

  explicit Dctcp(const DctcpInput& input) : input_(input) {}

  void begin(State& s, const FlowFacts& facts) const {
    s.window = s.round = facts.window_packets;
    s.marked_share = input_.initial_share;
    s.slow_start_below = input_.slow_start_packets;
  }

  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    s.acknowledged += ack.newly;
    if (ack.congested) {
      s.marked += ack.newly;
      s.slow_start_below = std::min(s.slow_start_below, s.window);
    }
    if (s.acknowledged >= s.round) end_round(s);
    if (ack.newly == 0) return;
    s.window += s.window < s.slow_start_below ? ack.newly : ack.newly / s.window;
  }

  void lost(State& s, Picoseconds) const {
    s.window = std::max(1.0, s.window / 2);
    s.slow_start_below = s.window;
  }
  void cut(State& s, Picoseconds now) const { lost(s, now); }
  void timed_out(State& s, Picoseconds) const {
    s.slow_start_below = std::max(2.0, s.window / 2);
    s.window = 1;
  }

  double window(const State& s) const { return s.window; }
  Picoseconds gap(State&, std::uint32_t, Picoseconds) const { return 0; }
  void answer(Notes&, const Packet&, Packet&, Picoseconds) const {}

 private:
  /// Alizadeh et al. 2010, equations 1 and 2, once a window.
  void end_round(State& s) const {
    const double share = s.marked / s.acknowledged;
    s.marked_share = (1 - input_.gain) * s.marked_share + input_.gain * share;
    if (s.marked > 0) {
      s.window = std::max(1.0, s.window * (1 - s.marked_share / 2));
      s.slow_start_below = s.window;
    }
    s.acknowledged = s.marked = 0;
    s.round = s.window;
  }

  DctcpInput input_;
};

}  // namespace trainyard::packet
