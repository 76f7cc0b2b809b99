// NSCC, Ultra Ethernet's sender-based congestion control (UE specification 1.0, section 3.6; constants as in
// uet-htsim): four cases by mark and delay, and a window set to what got through after heavy congestion.
#pragma once

#include <algorithm>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

/// The same law over packets in any order and, `kInOrder`, over those that receivers take in their order
/// alone.
template <class P, bool kInOrder>
class NsccLaw {
 public:
  using Packet = P;
  static constexpr bool kGoBackN = kInOrder;
  /// Receivers take a payload that was cut off for a gap, which they report once.
  static constexpr bool kCutsAreGaps = kInOrder;
  /// A marked packet's acknowledgement answers for those that waited for one, too.
  static constexpr bool kMarksAnswerAll = true;
  /// Reports say whether a packet was cut for the receiver's own link (UE 1.0).
  static constexpr bool kKnowsEndCuts = true;
  /// Where switches report what they cut, other packets are late until one and a half windows
  /// have left them behind (uet-htsim's sleek).
  static constexpr bool kTrustsReports = true;

  struct State {
    double window = 1;  // packets, as all counts below
    double most = 1;
    double base = 0;     // round trip, picoseconds
    double network = 0;  // the longest of the network
    double target = 0;   // of queueing
    double average = 0;
    double scale = 1;       // the network over one of 100 Gbps and 12 us
    double increments = 0;  // gathered until the window is adjusted
    double received = 0;    // since then
    double quiet = 0;       // received without any queue
    bool fast = false;
    double got = 0;  // in the period at hand
    double to_ignore = 0;
    double under_way = 0;
    Picoseconds adjusted = 0;
    Picoseconds decreased = 0;
    Picoseconds period_end = 0;
    bool trimmed = false;

    template <class Archive>
    void serialize(Archive& a) {
      a(window, most, base, network, target, average, scale, increments, received, quiet, fast, got,
        to_ignore, under_way, adjusted, decreased, period_end, trimmed);
    }
  };
  struct Notes {};

  NsccLaw(const NsccInput& input, bool trims) : input_(input), trims_(trims) {}

  void begin(State& s, const FlowFacts& facts) const {
    constexpr double kReferenceBytes = 150'000;  // 100 Gbps for 12 us
    s.base = static_cast<double>(facts.base_round_trip);
    const double product = std::max(1.0, facts.bandwidth_delay_packets());
    // One target for all flows of a network: near ones would give way to far ones otherwise.
    s.network = static_cast<double>(facts.network_round_trip);
    s.scale = product * s.network / s.base * facts.full_bytes / kReferenceBytes;
    s.target = input_.target_delay ? input_.target_delay->si() * kPicosecondsPerSecond
                                   : s.network * (trims_ ? kTargetShare : 1);
    s.most = std::max(1.0, input_.largest_window * product);
    s.window = std::min(s.most, input_.first_window.value_or(s.most));
  }

  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    const double n = ack.newly;
    const double delay = std::max(0.0, static_cast<double>(ack.round_trip) - s.base);
    s.got += n;
    s.received += n;
    s.under_way = ack.under_way;
    average(s, !ack.congested && delay > s.target ? s.base * kUnmarkedShare : delay);
    const bool late = ignored(s, n);
    if (late && ack.congested) return;
    if (adapted(s, ack.now, delay)) return;
    move(s, ack, n, delay);
    adjust(s, ack.now);
  }

  void cut(State& s, Picoseconds now) const {
    s.trimmed = true;
    average(s, s.network);
    if (!ignored(s, 1) && !adapted(s, now, 0)) s.window = std::max(1.0, s.window - 1);
  }
  void lost(State& s, Picoseconds now) const { cut(s, now); }
  void timed_out(State& s, Picoseconds) const { s.window = std::max(1.0, s.window - 1); }

  /// uet-htsim: in the last round trip a round trip with as much queueing as is aimed at, else three; never:
  /// 0.
  Picoseconds probe_after(const State& s, bool more) const {
    if (!input_.probes) return 0;
    return whole_duration(more ? kRoundTripsToProbe * s.base : s.base + s.target);
  }
  /// Whether an answer that took so long comes by a way without more queueing than is aimed at.
  bool is_prompt(const State& s, Picoseconds round_trip) const {
    return static_cast<double>(round_trip) < s.base + s.target;
  }

  bool in_bounds(const State& s, Picoseconds) const { return s.most >= 1; }
  double window(const State& s) const { return s.window; }
  Picoseconds gap(State&, std::uint32_t, Picoseconds) const { return 0; }
  void answer(Notes&, const Packet&, Packet&, Picoseconds) const {}

 private:
  static constexpr double kTargetShare = 0.75;
  static constexpr double kRoundTripsToProbe = 3;
  static constexpr double kUnmarkedShare = 0.25;
  static constexpr double kAdjustPackets = 8;
  static constexpr double kHeavyDelays = 4;
  static constexpr double kNoQueue = 1e6;  // 1 us

  void average(State& s, double delay) const { s.average += input_.delay_gain * (delay - s.average); }

  void move(State& s, const Acknowledgement<Packet>& ack, double n, double delay) const {
    if (ack.congested) {
      if (delay >= s.target) decrease(s, ack.now);
    } else if (delay >= s.target) {
      s.increments += input_.fair_increase * s.scale * n;
    } else if (fast_increase(s, n, delay)) {
      s.window = std::min(s.most, s.window + input_.fast_increase * s.scale * n);
    } else {
      s.increments += input_.proportional_increase * s.scale * n * (s.target - delay) / kReferenceDelay;
    }
  }
  static constexpr double kReferenceDelay = 12e6;

  bool fast_increase(State& s, double n, double delay) const {
    s.quiet = delay < kNoQueue ? s.quiet + n : 0;
    s.fast = s.quiet > s.window || (s.fast && delay < kNoQueue);
    return s.fast;
  }

  void decrease(State& s, Picoseconds now) const {
    s.fast = false;
    s.quiet = 0;
    if (s.average <= s.target || static_cast<double>(now - s.decreased) <= s.base) return;
    const double factor = 1 - input_.decrease * (s.average - s.target) / s.average;
    s.window = std::max(1.0, s.window * std::max(factor, 1 - input_.largest_decrease));
    s.decreased = now;
  }

  /// Every 8 packets or every round trip.
  void adjust(State& s, Picoseconds now) const {
    const bool late = static_cast<double>(now - s.adjusted) >= s.network;
    if (s.received <= kAdjustPackets && !late) return;
    s.window += s.increments / s.window;
    if (late) {
      s.window += input_.steady_increase * s.scale;
      s.adjusted = now;
    }
    s.increments = s.received = 0;
    s.window = std::clamp(s.window, 1.0, s.most);
  }

  /// Whether what is heard of so many packets is of those that were under way when the window was set.
  static bool ignored(State& s, double packets) {
    s.to_ignore = std::max(0.0, s.to_ignore - packets);
    return s.to_ignore > 0;
  }

  /// QuickAdapt.
  bool adapted(State& s, Picoseconds now, double delay) const {
    if (now <= s.period_end) return false;
    const bool heavy = s.trimmed || delay > kHeavyDelays * s.target;
    const bool adapts = s.period_end != 0 && heavy && s.got < s.most * input_.quick_adapt_share;
    if (adapts) {
      s.window = std::max(s.got, 1.0);
      s.to_ignore = s.under_way;
      s.trimmed = false;
      s.increments = s.received = 0;
    }
    s.got = 0;
    s.period_end = now + whole_duration(s.base + s.target);
    return adapts;
  }

  NsccInput input_;
  bool trims_;
};

using Nscc = NsccLaw<SelectivePacket, false>;
using PromptNscc = NsccLaw<AckedPacket, false>;  // every packet has an acknowledgement of its own
using OrderedNscc = NsccLaw<AckedPacket, true>;

}  // namespace trainyard::packet
