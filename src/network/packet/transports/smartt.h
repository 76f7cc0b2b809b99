// SMaRTT-REPS (Bonato et al. 2024): marks and delay move the window, trims adapt it at once.
#pragma once

#include <algorithm>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

template <class P>
class SmarttLaw {
 public:
  using Packet = P;
  static constexpr bool kGoBackN = false;
  /// As NSCC's: switches that cut packets report it, and slow ways are no losses.
  static constexpr bool kTrustsReports = true;

  struct State {
    double window = 1;  // packets, as all below
    double most = 1;
    double product = 1;  // bandwidth times delay
    double base = 0;     // round trip
    double got = 0;      // acknowledged in the period at hand
    double to_ignore = 0;
    double quiet = 0;  // acknowledged without any delay
    double under_way = 0;
    Picoseconds period_end = 0;
    bool trimmed = false;

    template <class Archive>
    void serialize(Archive& a) {
      a(window, most, product, base, got, to_ignore, quiet, under_way, period_end, trimmed);
    }
  };
  struct Notes {};

  explicit SmarttLaw(const SmarttInput& input) : input_(input) {}

  void begin(State& s, const FlowFacts& facts) const {
    s.base = static_cast<double>(facts.base_round_trip);
    s.product = std::max(1.0, facts.bandwidth_delay_packets());
    s.most = kMostProducts * s.product;
    s.window = std::min(s.most, input_.first_window.value_or(s.most));
  }

  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    const double n = ack.newly;
    s.got += n;
    s.under_way = ack.under_way;
    if (adapted(s, ack.now)) return;
    if (s.to_ignore > 0) {
      s.to_ignore -= n;
      return;
    }
    const auto delay = static_cast<double>(ack.round_trip);
    const double target = input_.target * s.base;
    if (fast_increase(s, delay, ack.congested, n)) {
      s.window += kFastPackets * n;
    } else if (ack.congested) {
      if (delay > target)
        s.window -= std::min(n, input_.multiplicative_decrease * (delay - target) / delay * n);
      s.window -= s.window / s.product * input_.fair_decrease * n;
    } else {
      if (delay < target)
        s.window += std::min(n, (target - delay) / delay * n / s.window * input_.proportional_increase);
      s.window += n / s.window * input_.fair_increase;
    }
    s.window = std::clamp(s.window, 1.0, s.most);
  }

  void cut(State& s, Picoseconds now) const {
    s.trimmed = true;
    if (s.to_ignore > 0) {
      s.to_ignore -= 1;
    } else {
      s.window = std::max(1.0, s.window - 1);
    }
    adapted(s, now);
  }
  void lost(State& s, Picoseconds now) const { cut(s, now); }
  void timed_out(State& s, Picoseconds) const { s.window = 1; }

  bool in_bounds(const State& s, Picoseconds) const { return s.most >= 1 && s.product >= 1; }
  double window(const State& s) const { return s.window; }
  Picoseconds gap(State&, std::uint32_t, Picoseconds) const { return 0; }
  void answer(Notes&, const Packet&, Packet&, Picoseconds) const {}

 private:
  static constexpr double kMostProducts = 1.25;
  static constexpr double kFastPackets = 2;

  /// QuickAdapt: after a period with trims, the window is what got through.
  bool adapted(State& s, Picoseconds now) const {
    if (now < s.period_end) return false;
    const bool adapts = s.trimmed && s.period_end != 0;
    if (adapts) {
      s.window = std::clamp(s.got * input_.quick_adapt_gain, 1.0, s.most);
      s.to_ignore = s.under_way;
    }
    s.trimmed = false;
    s.got = 0;
    s.period_end = now + whole_duration(input_.target * s.base);
    return adapts;
  }

  /// A whole window came back as if alone.
  bool fast_increase(State& s, double delay, bool congested, double n) const {
    constexpr double kNoDelay = 1.02;
    s.quiet = !congested && delay <= kNoDelay * s.base ? s.quiet + n : 0;
    return s.quiet > s.window;
  }

  SmarttInput input_;
};

using Smartt = SmarttLaw<SelectivePacket>;
using PromptSmartt = SmarttLaw<AckedPacket>;  // every packet has an acknowledgement of its own

}  // namespace trainyard::packet
