#include "goodput/kept_stretches.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "goodput/up_times.h"

namespace trainyard {

// By a stop only what was safe counts, by a pause everything. The limit for failures of rate 0 is training
// without an end.
double kept_share(const KeptStretches& s) {
  const double all = s.ends_per_s();
  const double cycle = s.cycle_s();
  if (all <= 0) return s.interval_s / cycle;
  const double saved = s.interval_s * std::exp(-all * s.safe_after_s) / std::expm1(all * cycle);
  const double trained = std::expm1(-all * s.interval_s) / std::expm1(-all * cycle) / all;
  return s.stops_per_s * saved + s.pauses_per_s * trained;
}

namespace {

/// Two points of Gauss and Legendre.
constexpr double kGauss = 0.5773502691896258;

/// What a stretch of an age adds: training, less what stops lose of it.
double gain_at(const KeptStretches& s, double age_s) {
  const double cycle = s.cycle_s();
  const double cycles = std::floor(age_s / cycle);
  const double into = age_s - cycles * cycle;
  const double safe = std::max(0.0, std::floor((age_s - s.safe_after_s) / cycle));
  const double unsafe = (cycles - safe) * s.interval_s + std::min(into, s.interval_s);
  return (into < s.interval_s ? 1 : 0) - s.stops_per_s * unsafe;
}

/// Integrals over ages of stretches until a time, of what a stretch adds and of the stretches alone.
class Ages {
 public:
  Ages(const KeptStretches& s, const UpTimes& up, double time_s) : s_(s), up_(up), time_s_(time_s) {}

  /// Mean number of stretches of an age until the time, a second: that of those that began so long before.
  double there(double age_s) const {
    const double before = time_s_ - age_s;
    return std::exp(-s_.ends_per_s() * age_s) *
           (up_.chance_at(before) + s_.ends_per_s() * up_.time_by(before));
  }

  void add(double from_s, double to_s) {
    constexpr double kMost = 1e6;  // parts: 60 failures ask for some hundred; what is no number, for one
    const double wanted = std::ceil((to_s - from_s) / longest_part_s());
    const int parts = wanted >= 1 && wanted < kMost ? static_cast<int>(wanted) : 1;
    const double half = (to_s - from_s) / parts / 2;
    for (int i = 0; i < parts; ++i) {
      for (const double side : {-kGauss, kGauss}) {
        const double age = from_s + half * (2 * i + 1 + side);
        const double weight = half * there(age);
        all_ += weight;
        gain_ += weight * gain_at(s_, age);
      }
    }
  }

  double all() const { return all_; }
  double gain() const { return gain_; }

 private:
  double longest_part_s() const {
    constexpr double kParts = 256;  // of the time
    constexpr double kFall = 0.1;   // of the stretches in a part
    return std::min(time_s_ / kParts, kFall / s_.ends_per_s());
  }

  const KeptStretches& s_;
  const UpTimes& up_;
  double time_s_;
  double all_ = 0;
  double gain_ = 0;
};

/// Of a cycle of checkpoints: the mean gain, and the integral of its deviation times the time into the cycle.
struct Cycle {
  double gain = 0;
  double slope_s2 = 0;
};

/// Times into a cycle between which the gain is linear.
std::array<double, 4> edges_of(const KeptStretches& s) {
  return {0, std::min(s.safe_after_s, s.interval_s), s.interval_s, s.cycle_s()};
}

Cycle cycle_of(const KeptStretches& s) {
  Cycle out;
  double moment = 0;
  const std::array<double, 4> edges = edges_of(s);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double half = (edges[i + 1] - edges[i]) / 2;
    for (const double side : {-kGauss, kGauss}) {
      const double into = edges[i] + half * (1 + side);
      const double gain = half * gain_at(s, s.cycle_s() + into);
      out.gain += gain;
      moment += gain * into;
    }
  }
  out.gain /= s.cycle_s();
  out.slope_s2 = moment - out.gain * s.cycle_s() * s.cycle_s() / 2;
  return out;
}

}  // namespace

// A stretch of age a is there at t if it began at t - a and nothing failed since: the integrals over both are
// exchanged. Cycles far from the beginning count by their mean (Euler and Maclaurin).
double kept_by(const KeptStretches& s, const UpTimes& up, double time_s) {
  constexpr int kCycles = 64;
  constexpr double kNone = 60;  // failures by an age that no stretch reaches
  Ages ages(s, up, time_s);
  const double oldest = std::min(time_s, kNone / s.ends_per_s());
  const std::array<double, 4> edges = edges_of(s);
  double done = 0;
  for (int n = 0; n < kCycles && done < oldest; ++n) {
    for (std::size_t i = 1; i < edges.size() && done < oldest; ++i) {
      const double to = std::min(oldest, n * s.cycle_s() + edges[i]);
      if (to > done) ages.add(done, to);
      done = std::max(done, to);
    }
  }
  if (done >= oldest) return ages.gain();
  const Cycle cycle = cycle_of(s);
  const double rest = up.time_by(time_s) - ages.all();
  return ages.gain() + cycle.gain * rest +
         cycle.slope_s2 / s.cycle_s() * (ages.there(time_s) - ages.there(done));
}

// Two states, of right results and of wrong ones, which begins with right ones.
double WrongResults::kept_share_by(double time_s) const {
  if (rate_per_s <= 0 || found_after_s <= 0) return 1;
  const double both = rate_per_s + 1 / found_after_s;
  const double wrong_s = rate_per_s / both * (time_s + std::expm1(-both * time_s) / both);
  return 1 - wrong_s / time_s;
}

double WrongResults::found_share_by(double time_s) const {
  if (found_after_s <= 0) return 1;
  const double both_s = time_s * (rate_per_s + 1 / found_after_s);
  return 1 + std::expm1(-both_s) / both_s;
}

}  // namespace trainyard
