#include "goodput/up_times.h"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// Integral of exp(-rate s) until `span_s`.
double decaying_s(double rate_per_s, double span_s) {
  return rate_per_s > 0 ? -std::expm1(-rate_per_s * span_s) / rate_per_s : span_s;
}

}  // namespace

UpTimes::UpTimes(std::vector<Recovery> recoveries) {
  std::sort(recoveries.begin(), recoveries.end(),
            [](const Recovery& a, const Recovery& b) { return a.lasts_s > b.lasts_s; });
  std::vector<Stretch> from_last;  // the end of each and the rate of those that last longer
  double longer = 0;
  for (const Recovery& r : recoveries) {
    from_last.push_back({.from_s = r.lasts_s, .falls_per_s = longer});
    longer += r.rate_per_s;
  }
  stretches_.push_back({.falls_per_s = longer});
  for (auto next = from_last.rbegin(); next != from_last.rend(); ++next) {
    const Stretch& before = stretches_.back();
    const double span = next->from_s - before.from_s;
    next->chance = before.chance * std::exp(-before.falls_per_s * span);
    next->time_s = before.time_s + before.chance * decaying_s(before.falls_per_s, span);
    stretches_.push_back(*next);
  }
}

double UpTimes::chance_at(double time_s) const {
  const Stretch& s = stretch_at(time_s);
  return s.chance * std::exp(-s.falls_per_s * (time_s - s.from_s));
}

double UpTimes::time_by(double time_s) const {
  const Stretch& s = stretch_at(time_s);
  return s.time_s + s.chance * decaying_s(s.falls_per_s, time_s - s.from_s);
}

const UpTimes::Stretch& UpTimes::stretch_at(double time_s) const {
  const auto after = std::upper_bound(stretches_.begin() + 1, stretches_.end(), time_s,
                                      [](double t, const Stretch& s) { return t < s.from_s; });
  return *(after - 1);
}

}  // namespace trainyard
