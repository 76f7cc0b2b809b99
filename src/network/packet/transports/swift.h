// Swift (Kumar et al. 2020): the window follows the delay, against a target that grows with hops and with the
// number of flows.
#pragma once

#include <algorithm>
#include <cmath>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

class Swift {
 public:
  using Packet = AckedPacket;
  static constexpr bool kGoBackN = false;

  struct State {
    double window = 10;
    double hops_target = 0;  // picoseconds, base included
    Picoseconds last_decrease = 0;
    Picoseconds round_trip = 0;
    std::uint32_t timeouts = 0;  // in a row

    template <class Archive>
    void serialize(Archive& a) {
      a(window, hops_target, last_decrease, round_trip, timeouts);
    }
  };
  struct Notes {};

  explicit Swift(const SwiftInput& input) : input_(input) {
    const double low = 1 / std::sqrt(input.flow_window_low);
    const double high = 1 / std::sqrt(input.flow_window_high);
    flow_scale_ = ps(input.flow_range) / (low - high);
    flow_offset_ = flow_scale_ * high;
  }

  void begin(State& s, const FlowFacts& facts) const {
    s.window = facts.window_packets;
    s.round_trip = facts.base_round_trip;
    // Below what an empty network takes no window could grow.
    const double usual = std::max(ps(SwiftInput::kBaseTarget), static_cast<double>(facts.base_round_trip));
    const double base = input_.base_target ? ps(*input_.base_target) : usual;
    s.hops_target = base + facts.switches * ps(input_.hop_target);
  }

  /// Algorithm 1.
  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    const bool can_decrease = ack.now - s.last_decrease >= s.round_trip;
    s.round_trip = ack.round_trip;
    s.timeouts = 0;
    const auto delay = static_cast<double>(ack.round_trip);
    const double target = target_delay(s);
    if (delay < target) {
      s.window += input_.increase * ack.newly / std::max(1.0, s.window);
    } else if (can_decrease) {
      decrease(s, ack.now, std::max(1 - input_.beta * (delay - target) / delay, 1 - input_.largest_decrease));
    }
    s.window = std::min(s.window, kMostPackets);
  }

  void lost(State& s, Picoseconds now) const {
    if (now - s.last_decrease >= s.round_trip) decrease(s, now, 1 - input_.largest_decrease);
  }
  void cut(State& s, Picoseconds now) const { lost(s, now); }
  void timed_out(State& s, Picoseconds now) const {
    if (++s.timeouts >= kResetAfter) {
      s.window = kLeastPackets;
    } else {
      lost(s, now);
    }
  }

  double window(const State& s) const { return s.window; }
  /// A window below one packet: so many round trips between packets.
  Picoseconds gap(State& s, std::uint32_t, Picoseconds) const {
    return s.window >= 1 ? 0 : whole_duration(static_cast<double>(s.round_trip) / s.window);
  }
  void answer(Notes&, const Packet&, Packet&, Picoseconds) const {}

 private:
  static constexpr double kMostPackets = 1e5;
  static constexpr double kLeastPackets = 0.001;
  static constexpr std::uint32_t kResetAfter = 5;

  static double ps(Seconds time) { return time.si() * kPicosecondsPerSecond; }

  /// Section 3.3 of the paper: hops, then flows by way of the window.
  double target_delay(const State& s) const {
    const double flows = flow_scale_ / std::sqrt(std::max(s.window, kLeastPackets)) - flow_offset_;
    return s.hops_target + std::clamp(flows, 0.0, ps(input_.flow_range));
  }
  void decrease(State& s, Picoseconds now, double factor) const {
    s.window = std::max(kLeastPackets, s.window * factor);
    s.last_decrease = now;
  }

  SwiftInput input_;
  double flow_scale_ = 0;
  double flow_offset_ = 0;
};

}  // namespace trainyard::packet
