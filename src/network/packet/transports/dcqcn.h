// DCQCN (Zhu et al. 2015): receivers notify of marks, senders cut their rates and raise them again.
#pragma once

#include <algorithm>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

/// The rate of one flow. Kept up to date when a packet is sent: in between it has no effect.
class DcqcnRate {
 public:
  static constexpr std::uint8_t kNotification = 1;  // mark of an acknowledgement

  struct State {
    double picoseconds_per_byte = 80;  // of the link
    double rate = 1;                   // of the link: R_C
    double target = 1;                 // R_T
    double alpha = 1;
    double bytes = 0;  // since the byte counter's last rise
    std::int64_t timer_rises = 0;
    std::int64_t byte_rises = 0;
    Picoseconds timer = 0;  // its last beat
    Picoseconds alpha_timer = 0;
    bool cut_once = false;

    template <class Archive>
    void serialize(Archive& a) {
      a(picoseconds_per_byte, rate, target, alpha, bytes, timer_rises, byte_rises, timer, alpha_timer,
        cut_once);
    }
  };
  struct Notes {
    Picoseconds last = 0;
    bool marked = false;
    bool notified = false;

    template <class Archive>
    void serialize(Archive& a) {
      a(last, marked, notified);
    }
  };

  explicit DcqcnRate(const DcqcnInput& input)
      : input_(input), period_(static_cast<Picoseconds>(input.timer.si() * kPicosecondsPerSecond)) {}

  void begin(State& s, const FlowFacts& facts) const {
    s.picoseconds_per_byte = static_cast<double>(facts.picoseconds_per_byte) / facts.planes;
  }

  /// Zhu et al. 2015, equation 1.
  void notified(State& s, Picoseconds now) const {
    s.target = s.rate;
    s.rate = std::max(input_.least_rate, s.rate * (1 - s.alpha / 2));
    s.alpha = (1 - input_.gain) * s.alpha + input_.gain;
    s.timer_rises = s.byte_rises = 0;
    s.bytes = 0;
    s.timer = s.alpha_timer = now;
    s.cut_once = true;
  }

  /// Time to the next packet; 0 at line rate.
  Picoseconds gap(State& s, std::uint32_t bytes, Picoseconds now) const {
    if (!input_.enabled || !s.cut_once) return 0;
    for (; now - s.alpha_timer >= period_; s.alpha_timer += period_) s.alpha *= 1 - input_.gain;
    for (; now - s.timer >= period_; s.timer += period_) {
      ++s.timer_rises;
      rise(s);
    }
    s.bytes += bytes;
    for (; s.bytes >= input_.byte_counter.si(); s.bytes -= input_.byte_counter.si()) {
      ++s.byte_rises;
      rise(s);
    }
    return s.rate >= 1 ? 0 : whole_duration(bytes * s.picoseconds_per_byte / s.rate);
  }

  bool in_bounds(const State& s, Picoseconds now) const {
    constexpr std::int64_t kMostRises = std::int64_t{1} << 53U;
    const auto counted = [](std::int64_t rises) { return rises >= 0 && rises < kMostRises; };
    return s.timer <= now && s.alpha_timer <= now && counted(s.timer_rises) && counted(s.byte_rises) &&
           s.bytes >= 0 && s.bytes < input_.byte_counter.si() && s.rate > 0;
  }

  /// The notification point: at most one notification in a while.
  void answer(Notes& notes, const AckedPacket& data, AckedPacket& report, Picoseconds now) const {
    notes.marked |= data.congested();
    const auto least = static_cast<Picoseconds>(input_.notification_gap.si() * kPicosecondsPerSecond);
    if (!notes.marked || (notes.notified && now - notes.last < least)) return;
    report.marks |= kNotification;
    notes.marked = false;
    notes.notified = true;
    notes.last = now;
  }

 private:
  /// Fast recovery, additive increase, hyper increase (section 3.1 and figure 7).
  void rise(State& s) const {
    const std::int64_t most = std::max(s.timer_rises, s.byte_rises);
    const std::int64_t least = std::min(s.timer_rises, s.byte_rises);
    if (least > input_.fast_recoveries) {
      s.target += input_.hyper_increase * static_cast<double>(least - input_.fast_recoveries);
    } else if (most > input_.fast_recoveries) {
      s.target += input_.increase;
    }
    s.target = std::min(s.target, 1.0);
    s.rate = (s.target + s.rate) / 2;
    constexpr double kAlmost = 0.999;
    if (s.rate > kAlmost) s.rate = 1;
  }

  DcqcnInput input_;
  Picoseconds period_;
};

/// RoCEv2: go-back-N, no window, rates by DCQCN; or selective repeat with a window of one bandwidth-delay
/// product (IRN, Mittal et al. 2018, section 3).
template <bool GoBackN>
class Roce {
 public:
  using Packet = AckedPacket;
  static constexpr bool kGoBackN = GoBackN;

  struct State {
    DcqcnRate::State rate;
    double window = 1;

    template <class Archive>
    void serialize(Archive& a) {
      a(rate, window);
    }
  };
  using Notes = DcqcnRate::Notes;

  explicit Roce(const DcqcnInput& input) : rate_(input) {}

  void begin(State& s, const FlowFacts& facts) const {
    rate_.begin(s.rate, facts);
    constexpr double kNoWindow = 1e9;
    s.window = GoBackN ? kNoWindow : std::max(1.0, facts.bandwidth_delay_packets());
  }
  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    if ((ack.report.marks & DcqcnRate::kNotification) != 0) rate_.notified(s.rate, ack.now);
  }
  void lost(State&, Picoseconds) const {}
  void cut(State&, Picoseconds) const {}
  void timed_out(State&, Picoseconds) const {}
  bool in_bounds(const State& s, Picoseconds now) const { return rate_.in_bounds(s.rate, now); }
  double window(const State& s) const { return s.window; }
  /// Of the link's rate.
  double rate_share(const State& s) const { return s.rate.rate; }
  Picoseconds gap(State& s, std::uint32_t bytes, Picoseconds now) const {
    return rate_.gap(s.rate, bytes, now);
  }
  void answer(Notes& notes, const Packet& data, Packet& report, Picoseconds now) const {
    rate_.answer(notes, data, report, now);
  }

 private:
  DcqcnRate rate_;
};

}  // namespace trainyard::packet
