// Many equal addends at once, to the last bit of a loop.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mixing.h"

namespace trainyard {

/// What `times` additions of `value` make of `sum`, each rounded; neither is negative. Between two powers of
/// two every addition adds the same multiple of the last place, once a first one has settled ties to even.
inline double with_repeated(double sum, double value, std::int64_t times) {
  const auto exponent = [](double x) { return std::bit_cast<std::uint64_t>(x) >> 52; };
  while (times > 0) {
    const double settled = sum + value;
    if (--times == 0 || settled == sum || std::isinf(settled)) return settled;
    const double before = settled + value;
    if (--times == 0) return before;
    sum = before + value;
    --times;
    if (exponent(settled) != exponent(sum)) continue;
    const double step = sum - before;
    if (step == 0) return sum;
    const double end = std::bit_cast<double>((exponent(sum) + 1) << 52);
    if (std::isinf(end)) continue;
    auto steps = static_cast<std::int64_t>((end - sum) / step);  // below 2^53
    if (sum + static_cast<double>(steps) * step >= end) --steps;
    steps = std::min(steps, times);
    sum += static_cast<double>(steps) * step;
    times -= steps;
  }
  return sum;
}

/// with_repeated() of one value, for sums that are often alike.
class RepeatedSums {
 public:
  explicit RepeatedSums(double value) : value_(value), known_(kKnown) {}

  double with(double sum, std::int64_t times) {
    if (times == 0) return sum;
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    Known& known = known_[mixed(bits ^ static_cast<std::uint64_t>(times) << 1) % kKnown];
    if (known.times != times || known.sum != bits) known = {times, bits, with_repeated(sum, value_, times)};
    return known.result;
  }

 private:
  struct Known {
    std::int64_t times = 0;
    std::uint64_t sum = 0;
    double result = 0;
  };
  static constexpr std::size_t kKnown = 256;

  double value_;
  std::vector<Known> known_;
};

}  // namespace trainyard
