// What error bars say of the order of two plans.
#pragma once

#include <string_view>

#include "trainyard/search.h"

namespace trainyard {

struct Plan;

enum class Order {
  unknown,       // the objective does not follow the time of a step, or a plan has no error bar
  shared_error,  // one calibration predicts both: most of its error is the same for both
  unsure,        // other calibrations, with errors of their own: not told apart within 80%
  sure,          // the same, and told apart
};

/// How sure it is that `plan` is worse than `best` in an objective, by the intervals of their step times.
/// Errors of two calibrations (accelerator and training program) count as independent and lognormal.
Order order_of(const SearchMeasure& objective, const Plan& plan, const Plan& best);

/// In a sentence; empty for what is unknown.
std::string_view order_sentence(Order order);

}  // namespace trainyard
