#include "report/data/error_bars.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "trainyard/plan.h"
#include "trainyard/plan/step.h"

namespace trainyard {
namespace {

/// Measures that are a factor of the time of a step, or of its inverse.
bool follows_step_time(const SearchMeasure& measure) {
  constexpr std::array<std::string_view, 8> kNames = {"step_time", "training_time", "price", "gpu_hours",
                                                      "energy",    "throughput",    "mfu",   "token_price"};
  return std::find(kNames.begin(), kNames.end(), measure.name) != kNames.end();
}

}  // namespace

Order order_of(const SearchMeasure& objective, const Plan& plan, const Plan& best) {
  const Interval& own = plan.step.step_interval;
  const Interval& other = best.step.step_interval;
  if (!follows_step_time(objective) || own.high <= 1 || other.high <= 1) return Order::unknown;
  if (own.basis == other.basis) return Order::shared_error;
  const double apart = std::abs(std::log(objective.read(plan) / objective.read(best)));
  return apart > std::hypot(own.half_width(), other.half_width()) ? Order::sure : Order::unsure;
}

std::string_view order_sentence(Order order) {
  switch (order) {
    case Order::shared_error:
      return "The best is predicted by the same calibration: both share most of their error, and the "
             "intervals say little against their order.";
    case Order::unsure:
      return "The best is predicted by another calibration, with an error of its own: within their 80% "
             "intervals the two cannot be told apart.";
    case Order::sure:
      return "The best is predicted by another calibration, with an error of its own: this one is worse "
             "beyond their 80% intervals.";
    case Order::unknown:
      break;
  }
  return {};
}

}  // namespace trainyard
