#include "parallel/batch.h"

#include <algorithm>
#include <cmath>

#include "trainyard/catalog.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario/training.h"
#include "trainyard/units.h"

namespace trainyard {
namespace {

double deviation(double wanted, std::int64_t replicas) {
  return std::abs(real(replicas) * real(microbatches_each(wanted, replicas)) / wanted - 1);
}

/// The largest divisor of a batch that is a whole number; 0 where it is none.
std::int64_t exact_replicas(double wanted, std::int64_t most) {
  constexpr double kLargest = 1e10;  // of which trial division is quick
  constexpr double kRounding = 1e-9;
  const double whole = std::round(wanted);
  if (whole < 1 || whole > kLargest || std::abs(wanted / whole - 1) > kRounding) return 0;
  const auto n = static_cast<std::int64_t>(whole);
  std::int64_t best = 1;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    if (d <= most) best = std::max(best, d);
    if (n / d <= most) best = std::max(best, n / d);
  }
  return best;
}

/// The most that stay within the tolerance; 0 where none do. From 100 replicas on one of the first few counts
/// of microbatches has such a number, so that the loop is short.
std::int64_t near_replicas(double wanted, std::int64_t most) {
  const double largest = wanted * (1 + kBatchTolerance);
  for (double each = std::max(1.0, std::floor(wanted / (real(most) * (1 + kBatchTolerance))));
       each <= largest; ++each) {
    const auto replicas = static_cast<std::int64_t>(std::min(real(most), std::floor(largest / each)));
    if (std::abs(real(replicas) * each / wanted - 1) <= kBatchTolerance) return replicas;
  }
  return 0;
}

/// Of a batch of so few microbatches that no count is near.
std::int64_t nearest_replicas(double wanted, std::int64_t most) {
  constexpr double kFew = 1e4;
  std::int64_t best = 1;
  const auto last = static_cast<std::int64_t>(std::min({real(most), std::ceil(wanted), kFew}));
  for (std::int64_t replicas = 2; replicas <= last; ++replicas) {
    if (deviation(wanted, replicas) <= deviation(wanted, best)) best = replicas;
  }
  return best;
}

}  // namespace

std::optional<double> wanted_batch(const MappingInput& mapping, const TrainingInput& training,
                                   const ModelShape& shape) {
  if (mapping.microbatches) return std::nullopt;
  return training.batch_tokens ? training.batch_tokens : shape.batch_tokens;
}

std::int64_t microbatches_each(double microbatches, std::int64_t replicas) {
  return static_cast<std::int64_t>(std::clamp(std::round(microbatches / real(replicas)), 1.0, 1e12));
}

std::int64_t replicas_for_batch(double microbatches, std::int64_t most, std::int64_t unit) {
  const std::int64_t units = most / unit;
  if (units < 1) return most;
  const double wanted = microbatches / real(unit);
  const std::int64_t exact = exact_replicas(wanted, units);
  if (exact == units) return exact * unit;
  const std::int64_t near = near_replicas(wanted, units);
  if (exact > 0 && 2 * exact >= near) return exact * unit;
  return (near > 0 ? near : nearest_replicas(wanted, units)) * unit;
}

}  // namespace trainyard
