#include "base/finite.h"

#include <fmt/core.h>

#include <cmath>

#include "trainyard/errors.h"

namespace trainyard {

double finite(double value, std::string_view what) {
  if (std::isfinite(value)) return value;
  fail_input(
      whole(kTheAnswer), fmt::format("{} is {}", what, std::isnan(value) ? "not a number" : "infinite"),
      "a setting is too far from those of any system: look for rates, sizes, times or prices near 0 or "
      "beyond 1e30");
}

}  // namespace trainyard
