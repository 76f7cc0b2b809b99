// When no recovery is under way, of a run that begins without one.
#pragma once

#include <vector>

namespace trainyard {

/// Failures of a Poisson process after each of which training stands still for so long.
struct Recovery {
  double rate_per_s = 0;
  double lasts_s = 0;
};

/// Recoveries as the busy periods of a queue M/G/oo (Takacs 1962) that begins empty: none is under way at a
/// time t with the chance exp(-sum of rate times min(t, lasts)).
class UpTimes {
 public:
  explicit UpTimes(std::vector<Recovery> recoveries);

  double chance_at(double time_s) const;
  /// Mean time without a recovery until then.
  double time_by(double time_s) const;

 private:
  /// From here on the chance falls at the rate of the recoveries that last longer.
  struct Stretch {
    double from_s = 0;
    double chance = 1;
    double time_s = 0;
    double falls_per_s = 0;
  };
  const Stretch& stretch_at(double time_s) const;

  std::vector<Stretch> stretches_;
};

}  // namespace trainyard
