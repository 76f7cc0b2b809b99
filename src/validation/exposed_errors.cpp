#include "trainyard/exposed_errors.h"

#include <cmath>
#include <vector>

#include "trainyard/validation.h"

namespace trainyard {
namespace {

struct Error {
  double size = 0;   // of a step, in logarithms, over the half of its interval
  double share = 0;  // of the step that is exposed
  double vote = 0;
};

double exposed_share(const ValidatedRun& run) {
  double out = 0;
  for (const StepEffect& effect : run.effects) {
    if (effect.is_transfer) out += effect.plan / *run.plan;
  }
  return out;
}

std::vector<Error> errors_of(const Validation& validation) {
  std::vector<Error> out;
  for (const ValidatedRun& run : validation.runs) {
    if (!run.counts() || !run.measured_step || run.interval.half_width() <= 0) continue;
    out.push_back({std::abs(std::log(*run.plan / *run.measured_step)) / run.interval.half_width(),
                   exposed_share(run), run.vote});
  }
  return out;
}

/// The logarithm of the likelihood of a ratio, with the width of the rest that fits it best.
double likelihood(const std::vector<Error>& errors, double ratio) {
  double votes = 0;
  double widths = 0;  // sum of logarithms
  double mean = 0;
  for (const Error& e : errors) {
    const double width = std::hypot(1 - e.share, ratio * e.share);
    votes += e.vote;
    widths += e.vote * std::log(width);
    mean += e.vote * e.size / width;
  }
  return -votes * std::log(mean / votes) - widths;
}

}  // namespace

std::optional<ExposedErrors> exposed_errors(const Validation& validation) {
  constexpr std::size_t kLeastRuns = 60;
  constexpr int kLeast = 5;  // hundredths
  constexpr int kMost = 2000;
  constexpr double kFall = 2;
  const std::vector<Error> errors = errors_of(validation);
  if (errors.size() < kLeastRuns) return std::nullopt;
  ExposedErrors out{.runs = errors.size()};
  std::vector<double> at;
  std::size_t best = 0;
  for (int i = kLeast; i <= kMost; i += kLeast) {
    at.push_back(likelihood(errors, i / 100.0));
    if (at.back() > at[best]) best = at.size() - 1;
  }
  const auto ratio = [](std::size_t i) { return static_cast<double>(i + 1) * kLeast / 100.0; };
  std::size_t low = best;
  std::size_t high = best;
  while (low > 0 && at[low - 1] > at[best] - kFall) --low;
  while (high + 1 < at.size() && at[high + 1] > at[best] - kFall) ++high;
  out.ratio = ratio(best);
  out.low = ratio(low);
  out.high = ratio(high);
  return out;
}

}  // namespace trainyard
