// How fast a receiver hands out credit where the network behind its link is oversubscribed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/mixing.h"
#include "network/packet/packet.h"

namespace trainyard::packet {

/// When receivers slow down (uet-htsim's oversubscribed_cc).
struct CreditRateRules {
  double least = 1;          // of the rate that a receiver's links take; 1: it never slows down
  Picoseconds interval = 0;  // between decisions, in the mean
  std::uint64_t seed = 0;    // of the decisions' times
};

/// One receiver's, over all its flows: slower by the share of packets that were cut inside the network, and
/// where many of the others are marked; faster again, by more and more, where neither happens.
class CreditRate {
 public:
  double share() const { return rate_; }

  void arrived(bool marked) {
    ++whole_;
    marked_ += marked ? 1 : 0;
  }
  /// On the receiver's own link: there is no more to be had.
  void cut_at_the_end() { ++cut_at_end_; }
  void cut_inside() { ++cut_inside_; }

  /// Decides, if it is time; `host` draws how long until the next time.
  void decide(Picoseconds now, std::uint32_t host, const CreditRateRules& rules) {
    // Intervals without a packet count as well, until the rate is whole.
    for (int i = 0; now >= next_ && i < kMostAtOnce; ++i) {
      if (next_ > 0) adapt(rules);
      const double random =
          static_cast<double>(mixed(mixed(rules.seed, host), ++decisions_) >> 11U) * 0x1p-53;
      const Picoseconds longest = kMostAtOnce * rules.interval;
      next_ = std::max(next_, now > longest ? now - longest : 0) +
              static_cast<Picoseconds>((0.75 + random / 2) * static_cast<double>(rules.interval));
    }
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(rate_, average_, next_, decisions_, raises_, whole_, marked_, cut_at_end_, cut_inside_);
  }
  bool in_bounds() const { return rate_ > 0 && rate_ <= 1 && average_ >= 0 && average_ <= 1 && raises_ < 64; }

 private:
  static constexpr int kMostAtOnce = 8;

  void adapt(const CreditRateRules& rules) {
    constexpr double kGain = 0.5;
    constexpr double kTarget = 0.3;  // of marked packets
    constexpr double kDecrease = 0.5;
    constexpr double kIncrease = 0.01;
    constexpr std::uint32_t kMostRaises = 10;  // far beyond the whole rate
    const double share = whole_ > 0 ? static_cast<double>(marked_) / whole_ : 0;
    average_ += kGain * (share - average_);
    const bool slower = cut_inside_ > 0 || average_ > kTarget;
    if (cut_inside_ > 0) rate_ -= static_cast<double>(cut_inside_) / (whole_ + cut_at_end_ + cut_inside_);
    if (average_ > kTarget) rate_ *= 1 - (average_ - kTarget) * kDecrease;
    if (!slower) rate_ += kIncrease * (marked_ == 0 ? static_cast<double>(1U << raises_) : 1);
    raises_ = slower ? 0 : std::min(raises_ + 1, kMostRaises);
    rate_ = std::clamp(rate_, rules.least, 1.0);
    whole_ = marked_ = cut_at_end_ = cut_inside_ = 0;
  }

  double rate_ = 1;
  double average_ = 0;  // share of marked packets
  Picoseconds next_ = 0;
  std::uint64_t decisions_ = 0;
  std::uint32_t raises_ = 0;
  // Since the last decision:
  std::uint32_t whole_ = 0;
  std::uint32_t marked_ = 0;
  std::uint32_t cut_at_end_ = 0;
  std::uint32_t cut_inside_ = 0;
};

}  // namespace trainyard::packet
