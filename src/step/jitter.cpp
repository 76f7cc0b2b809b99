#include "step/jitter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/mixing.h"

namespace trainyard {

Jitter::Jitter(double variation, std::uint64_t seed, std::int64_t devices)
    : seed_(seed), devices_(devices), sigma_(std::sqrt(std::log1p(variation * variation))) {}

double Jitter::slowest(std::uint64_t operation) const {
  if (sigma_ == 0) return 1;
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < devices_; ++i)
    most = std::max(most, normal(operation, static_cast<std::uint64_t>(i)));
  return std::exp(sigma_ * most - sigma_ * sigma_ / 2);
}

/// Box and Muller 1958.
double Jitter::normal(std::uint64_t operation, std::uint64_t device) const {
  const std::uint64_t key = mixed(mixed(mixed(seed_) ^ operation) ^ device);
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  const double u = (static_cast<double>(key >> 11U) + 0.5) * kUnit;
  const double v = static_cast<double>(mixed(key) >> 11U) * kUnit;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace trainyard
