// BBR (Cardwell et al. 2016): a model of the path, its bottleneck's rate and its shortest round trip.
#pragma once

#include <algorithm>
#include <array>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

/// Data carries what had been delivered when it was sent.
struct BbrPacket : AckedPacket {
  std::uint64_t delivered = 0;  // packets of the flow
  Picoseconds delivered_at = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<AckedPacket&>(*this), delivered, delivered_at);
  }
};

class Bbr {
 public:
  using Packet = BbrPacket;
  static constexpr bool kGoBackN = false;

  enum class Phase : std::uint8_t { startup, drain, probe_rate, probe_round_trip };
  struct State {
    Phase phase = Phase::startup;
    double window = 10;  // before anything has been measured
    double line = 0;     // packets a picosecond
    std::uint64_t delivered = 0;
    Picoseconds delivered_at = 0;
    std::uint64_t round_end = 0;  // delivered when the round trip at hand is over
    std::uint32_t rounds = 0;
    std::array<double, 10> rates{};  // the highest of each of the last round trips
    double rate = 0;                 // the highest of these
    double full_rate = 0;            // that startup has reached
    std::uint32_t full_rounds = 0;   // without growth
    Picoseconds shortest = kNever;
    Picoseconds shortest_at = 0;
    Picoseconds phase_began = 0;
    std::uint32_t cycle = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(phase, window, line, delivered, delivered_at, round_end, rounds, rates, full_rate, full_rounds,
        shortest, shortest_at, phase_began, cycle);
      rate = highest();
    }
    double highest() const { return *std::max_element(rates.begin(), rates.end()); }
  };
  struct Notes {};

  explicit Bbr(const BbrInput& input) : input_(input) {}

  void begin(State& s, const FlowFacts& facts) const {
    s.window = facts.window_packets;
    s.line = static_cast<double>(facts.planes) /
             static_cast<double>(facts.full_bytes * facts.picoseconds_per_byte);
    s.cycle = facts.flow % kGains.size();
  }

  void stamp(State& s, Packet& packet) const {
    packet.delivered = s.delivered;
    packet.delivered_at = s.delivered_at == 0 ? packet.sent : s.delivered_at;
  }

  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    s.delivered += ack.newly;
    s.delivered_at = ack.now;
    const bool round_over = ack.report.delivered >= s.round_end;
    if (round_over) {
      s.round_end = s.delivered;
      s.rates[++s.rounds % s.rates.size()] = 0;
      s.rate = s.highest();
    }
    const double time = static_cast<double>(ack.now - ack.report.delivered_at);
    if (time > 0) {
      double& best = s.rates[s.rounds % s.rates.size()];
      best = std::max(best, static_cast<double>(s.delivered - ack.report.delivered) / time);
      s.rate = std::max(s.rate, best);
    }
    const bool stale = ack.now > s.shortest_at + ps(input_.rtt_window);
    if (ack.round_trip <= s.shortest || stale) {
      s.shortest = ack.round_trip;
      s.shortest_at = ack.now;
    }
    advance(s, ack, round_over, stale);
  }

  void lost(State&, Picoseconds) const {}
  void cut(State&, Picoseconds) const {}
  void timed_out(State&, Picoseconds) const {}

  double window(const State& s) const {
    if (s.phase == Phase::probe_round_trip) return kLeastPackets;
    if (s.shortest == kNever) return s.window;
    const double gain = s.phase == Phase::startup ? input_.startup_gain : input_.window_gain;
    return std::max(kLeastPackets, gain * s.rate * static_cast<double>(s.shortest));
  }
  Picoseconds gap(State& s, std::uint32_t, Picoseconds) const {
    const double pace = gain(s) * s.rate;
    return pace <= 0 || pace >= s.line ? 0 : whole_duration(1 / pace);
  }
  bool in_bounds(const State& s, Picoseconds) const {
    return s.phase <= Phase::probe_round_trip && s.cycle < kGains.size();
  }
  /// Echoes what the data carried.
  void answer(Notes&, const Packet& data, Packet& report, Picoseconds) const {
    report.delivered = data.delivered;
    report.delivered_at = data.delivered_at;
  }

 private:
  static constexpr double kLeastPackets = 4;
  static constexpr std::array<double, 8> kGains = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
  static constexpr double kGrowth = 1.25;
  static constexpr std::uint32_t kFullAfter = 3;

  static Picoseconds ps(Seconds time) { return static_cast<Picoseconds>(time.si() * kPicosecondsPerSecond); }

  double gain(const State& s) const {
    switch (s.phase) {
      case Phase::startup:
        return input_.startup_gain;
      case Phase::drain:
        return 1 / input_.startup_gain;
      case Phase::probe_rate:
        return kGains[s.cycle];
      case Phase::probe_round_trip:
        return 1;
    }
    return 1;
  }

  void enter(State& s, Phase phase, Picoseconds now) const {
    s.phase = phase;
    s.phase_began = now;
  }

  void advance(State& s, const Acknowledgement<Packet>& ack, bool round_over, bool stale) const {
    const double product = s.rate * static_cast<double>(s.shortest);
    if (s.phase == Phase::startup && round_over) check_full(s, ack.now);
    if (s.phase == Phase::drain && ack.under_way <= product) enter(s, Phase::probe_rate, ack.now);
    if (s.phase == Phase::probe_rate && ack.now - s.phase_began > s.shortest) {
      s.cycle = (s.cycle + 1) % kGains.size();
      s.phase_began = ack.now;
    }
    if (stale && s.phase != Phase::probe_round_trip) return enter(s, Phase::probe_round_trip, ack.now);
    if (s.phase == Phase::probe_round_trip && ack.now - s.phase_began > ps(input_.probe_rtt))
      enter(s, Phase::probe_rate, ack.now);
  }

  /// Startup ends when the rate has not grown by a quarter for three round trips.
  void check_full(State& s, Picoseconds now) const {
    if (s.rate >= s.full_rate * kGrowth) {
      s.full_rate = s.rate;
      s.full_rounds = 0;
    } else if (++s.full_rounds >= kFullAfter) {
      enter(s, Phase::drain, now);
    }
  }

  BbrInput input_;
};

}  // namespace trainyard::packet
