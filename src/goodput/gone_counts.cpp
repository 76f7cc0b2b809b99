#include "goodput/gone_counts.h"

#include <algorithm>
#include <cmath>

#include "goodput/goodput_parts.h"

namespace trainyard {
namespace {

double poisson(double mean, std::int64_t n) {
  if (mean <= 0) return n == 0 ? 1 : 0;
  return std::exp(real(n) * std::log(mean) - mean - std::lgamma(real(n) + 1));
}

}  // namespace

Chances none_gone(std::int64_t most) {
  Chances out(static_cast<std::size_t>(most) + 1, 0);
  out[0] = 1;
  return out;
}

Chances servers_of(const Chances& repairs, double servers) {
  if (servers <= 1) return repairs;
  Chances out(repairs.size(), 0);
  for (std::size_t n = 0; n < repairs.size(); ++n) {
    const double gone = std::round(static_cast<double>(n) * servers);
    if (gone < static_cast<double>(out.size())) out[static_cast<std::size_t>(gone)] += repairs[n];
  }
  return out;
}

Chances with_failures(const Chances& gone, double mean, std::int64_t size) {
  constexpr double kNegligible = 1e-18;
  const auto most = static_cast<std::int64_t>(gone.size()) - 1;
  std::int64_t last = most;  // beyond it there is next to nothing
  while (last > 0 && gone[static_cast<std::size_t>(last)] < kNegligible) --last;
  std::int64_t first = 0;
  while (first < last && gone[static_cast<std::size_t>(first)] < kNegligible) ++first;
  Chances out(gone.size(), 0);
  for (std::int64_t k = 0; k * size <= most; ++k) {
    const double share = poisson(mean, k);
    if (real(k) > mean && share < kNegligible) break;
    if (share < kNegligible) continue;
    for (std::int64_t i = first; i <= std::min(last, most - k * size); ++i)
      out[static_cast<std::size_t>(i + k * size)] += gone[static_cast<std::size_t>(i)] * share;
  }
  return out;
}

double mean_repair_s(const GoodputCase& c, const FailureMode& mode) {
  return (is_found_later(mode) ? c.repair : mode.lasts).si();
}

std::int64_t most_gone(const GoodputCase& c) {
  constexpr std::int64_t kMostServers = 4000;
  std::int64_t most = c.spares;
  while (most < c.spares + kMostServers && served_share(c, most + 1) > 0) ++most;
  return most;
}

}  // namespace trainyard
