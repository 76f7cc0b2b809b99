// TCP Cubic (RFC 9438) with selective acknowledgements and slow start.
#pragma once

#include <algorithm>
#include <cmath>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

class Cubic {
 public:
  using Packet = AckedPacket;
  static constexpr bool kGoBackN = false;

  struct State {
    double window = 10;
    double slow_start_below = 1e9;
    double before = 0;    // W_max
    double estimate = 0;  // W_est of section 4.3
    double round_trip = 0;
    Picoseconds epoch = 0;  // congestion avoidance began; 0: not yet
    double at_epoch = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(window, slow_start_below, before, estimate, round_trip, epoch, at_epoch);
    }
  };
  struct Notes {};

  explicit Cubic(const CubicInput& input) : input_(input) {}

  void begin(State& s, const FlowFacts& facts) const { s.window = facts.window_packets; }

  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    s.round_trip = static_cast<double>(ack.round_trip) / kPicosecondsPerSecond;
    if (ack.newly == 0) return;
    if (s.window < s.slow_start_below) {
      s.window += ack.newly;
      return;
    }
    if (s.epoch == 0) {
      s.epoch = ack.now;
      s.at_epoch = s.estimate = s.window;
      s.before = std::max(s.before, s.window);
    }
    // RFC 9438, equations 1, 2 and 4.
    const double time = static_cast<double>(ack.now - s.epoch) / kPicosecondsPerSecond;
    const double k = std::cbrt((s.before - s.at_epoch) / input_.c);
    const double t = time + s.round_trip - k;
    const double target = std::clamp(input_.c * t * t * t + s.before, s.window, 1.5 * s.window);
    s.estimate += 3 * (1 - input_.beta) / (1 + input_.beta) * ack.newly / s.window;
    s.window = std::max(s.estimate, s.window + (target - s.window) / s.window * ack.newly);
  }

  void lost(State& s, Picoseconds) const {
    // Fast convergence (section 4.7).
    s.before = s.window < s.before ? s.window * (1 + input_.beta) / 2 : s.window;
    s.window = std::max(2.0, s.window * input_.beta);
    s.slow_start_below = s.window;
    s.epoch = 0;
  }
  void cut(State& s, Picoseconds now) const { lost(s, now); }
  void timed_out(State& s, Picoseconds now) const {
    lost(s, now);
    s.window = 1;
  }

  double window(const State& s) const { return s.window; }
  Picoseconds gap(State&, std::uint32_t, Picoseconds) const { return 0; }
  void answer(Notes&, const Packet&, Packet&, Picoseconds) const {}

 private:
  CubicInput input_;
};

}  // namespace trainyard::packet
