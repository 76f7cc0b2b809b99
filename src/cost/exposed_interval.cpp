#include <cmath>

#include "trainyard/exposed_errors.h"

namespace trainyard {
namespace {

/// Relative errors of transfers over those of the rest of a step: of the highest likelihood on runs that no
/// fit has seen (`trainyard validate --runs data/held_out_runs.csv --runs data/bridge_runs.csv`).
constexpr double kRatio = 3;

}  // namespace

ExposedInterval exposed_interval(const Interval& step, double share) {
  ExposedInterval out{{.basis = step.basis}, share, share};
  const double half = step.half_width();
  if (!(half > 0) || !(share > 0)) return out;
  // half^2 = ((1 - share)^2 + (kRatio share)^2) rest^2
  const double rest = half / std::hypot(1 - share, kRatio * share);
  out.time.low = std::exp(-kRatio * rest);
  out.time.high = std::exp(kRatio * rest);
  // The odds of transfers against the rest err by both.
  const double odds = std::exp(std::hypot(1, kRatio) * rest);
  out.share_low = share / (share + (1 - share) * odds);
  out.share_high = share * odds / (share * odds + (1 - share));
  return out;
}

}  // namespace trainyard
