// HPCC (Li et al. 2019): switches write their load into packets, senders set windows to fill links to a
// share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "network/packet/transports/acked.h"

namespace trainyard::packet {

/// What a switch wrote when a packet left it. Times in 16 ps and bytes, both modulo 2^32.
struct Telemetry {
  std::uint32_t time = 0;
  std::uint32_t sent_bytes = 0;
  std::uint32_t queue_bytes = 0;
  float picoseconds_per_byte = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(time, sent_bytes, queue_bytes, picoseconds_per_byte);
  }
};

/// With room for so many switches: every hop copies it.
template <std::uint32_t kRoom>
struct HpccPacket : AckedPacket {
  static constexpr std::uint32_t kMostHops = kRoom;
  static constexpr unsigned kTimeShift = 4;

  std::array<Telemetry, kMostHops> hops{};  // `reserve` of them

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<AckedPacket&>(*this), hops);
  }
  bool in_bounds() const { return reserve <= kMostHops; }

  void record(Picoseconds now, std::uint64_t queue_bytes, std::uint64_t sent_bytes, float byte_time) {
    if (reserve == kMostHops) return;
    hops[reserve++] = {static_cast<std::uint32_t>(now >> kTimeShift), static_cast<std::uint32_t>(sent_bytes),
                       static_cast<std::uint32_t>(queue_bytes), byte_time};
  }
};

template <std::uint32_t kRoom>
class HpccLaw {
 public:
  using Packet = HpccPacket<kRoom>;
  static constexpr bool kGoBackN = true;

  struct State {
    double window = 1;     // bytes
    double reference = 0;  // W_c
    double most = 1;       // W_init
    double base = 0;       // T, picoseconds
    double step = 0;       // W_AI
    double utilization = 1;
    double full_bytes = 1;
    std::int64_t stage = 0;
    std::uint32_t update_after = 0;  // sequence
    std::uint32_t hop_count = 0;
    std::array<Telemetry, kRoom> last{};

    template <class Archive>
    void serialize(Archive& a) {
      a(window, reference, most, base, step, utilization, full_bytes, stage, update_after, hop_count, last);
    }
  };
  struct Notes {};

  explicit HpccLaw(const HpccInput& input) : input_(input) {}

  void begin(State& s, const FlowFacts& facts) const {
    s.base = input_.base_rtt ? input_.base_rtt->si() * kPicosecondsPerSecond
                             : static_cast<double>(facts.network_round_trip);  // of all flows (section 5.1)
    s.most = s.base / static_cast<double>(facts.picoseconds_per_byte) * facts.planes;
    s.window = s.reference = s.most;
    s.full_bytes = facts.full_bytes;
    const double step = s.most * (1 - input_.utilization) / static_cast<double>(input_.flows_expected);
    s.step = input_.increase ? input_.increase->si() : step;
  }

  /// Algorithm 1: NewAck.
  void acknowledged(State& s, const Acknowledgement<Packet>& ack) const {
    measure(s, ack.report);
    const bool update = ack.cumulative > s.update_after;
    if (s.utilization >= input_.utilization || s.stage >= input_.stages) {
      s.window = s.reference / (s.utilization / input_.utilization) + s.step;
      if (update) s.stage = 0;
    } else {
      s.window = s.reference + s.step;
      if (update) ++s.stage;
    }
    s.window = std::clamp(s.window, std::min(s.full_bytes / 16, s.most), s.most);
    if (!update) return;
    s.reference = s.window;
    s.update_after = ack.next;
  }

  void lost(State&, Picoseconds) const {}
  void cut(State&, Picoseconds) const {}
  void timed_out(State&, Picoseconds) const {}

  double window(const State& s) const { return std::max(1.0, s.window / s.full_bytes); }
  /// Rate = W / T (section 3.2).
  Picoseconds gap(State& s, std::uint32_t bytes, Picoseconds) const {
    return whole_duration(s.base * bytes / s.window);
  }
  bool in_bounds(const State& s, Picoseconds) const {
    return s.hop_count <= kRoom && s.stage >= 0 && s.stage <= input_.stages && s.most > 0 && s.full_bytes > 0;
  }
  void answer(Notes&, const Packet& data, Packet& report, Picoseconds) const {
    report.hops = data.hops;
    report.reserve = data.reserve;
  }

 private:
  /// Algorithm 1: MeasureInflight.
  void measure(State& s, const Packet& packet) const {
    if (packet.reserve != s.hop_count) {
      s.hop_count = packet.reserve;
      s.last = packet.hops;
      return;
    }
    double most = 0;
    double period = 0;
    for (std::uint32_t h = 0; h < packet.reserve; ++h) {
      const Telemetry& now = packet.hops[h];
      const Telemetry& then = s.last[h];
      const double time = static_cast<double>(now.time - then.time) * (1U << Packet::kTimeShift);
      if (time <= 0) continue;
      const double rate =
          static_cast<double>(now.sent_bytes - then.sent_bytes) * now.picoseconds_per_byte / time;
      const double queue =
          std::min(now.queue_bytes, then.queue_bytes) * 1.0 * now.picoseconds_per_byte / s.base;
      if (queue + rate > most) {
        most = queue + rate;
        period = time;
      }
    }
    s.last = packet.hops;
    const double weight = std::min(period, s.base) / s.base;
    s.utilization = (1 - weight) * s.utilization + weight * most;
  }

  HpccInput input_;
};

using Hpcc = HpccLaw<5>;      // ways over three tiers
using NearHpcc = HpccLaw<3>;  // over two
using FarHpcc = HpccLaw<15>;  // the most that the paper's header can count (figure 7: four bits)

}  // namespace trainyard::packet
