// Steps of a plan on a slower network.
#pragma once

#include "trainyard/goodput.h"

namespace trainyard {

/// The plan's step, mapped as it is, where its worst hit servers keep a share of their scale-out rate: for
/// goodput_case(). The plan has to live as long.
StepAtRate step_at_rate(const Plan& plan);

/// Months of the plan in closed form. Nothing where its scenario has no [resilience], or where training would
/// take 100 times as long as without failures.
std::optional<GoodputForm> months_of(const Plan& plan);

}  // namespace trainyard
