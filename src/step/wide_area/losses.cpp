// What is lost between sites, and how often it is repeated.
#include <algorithm>
#include <cmath>
#include <limits>

#include "step/wide_area.h"

namespace trainyard {

double packet_loss_probability(const WideAreaInput& input) {
  const double bits = kBitsPerByte * input.packet.si();
  const double no_error = bits * std::log1p(-input.bit_error_rate);
  return -std::expm1(no_error + std::log1p(-input.packet_loss));
}

double block_loss_probability(double packet_loss, std::int64_t data, std::int64_t parity) {
  if (packet_loss <= 0) return 0;
  const double n = real(data + parity);
  double sum = 0;
  for (std::int64_t lost = parity + 1; lost <= data + parity; ++lost) {
    const double j = real(lost);
    const double ways = std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1);
    sum += std::exp(ways + j * std::log(packet_loss) + (n - j) * std::log1p(-packet_loss));
  }
  return std::min(sum, 1.0);
}

double expected_repeats(double count, double first, double later) {
  constexpr double kNegligible = 1e-12;
  constexpr double kMostRounds = 1e6;
  const auto any = [&](double lost) { return -std::expm1(count * std::log1p(-std::min(lost, 1 - 1e-16))); };
  if (any(first * std::pow(later, kMostRounds)) >= kNegligible)
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (double lost = first; any(lost) >= kNegligible; lost *= later) sum += any(lost);
  return sum;
}

}  // namespace trainyard
