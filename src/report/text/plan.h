// A plan on the terminal.
#pragma once

#include <string>

#include "trainyard/plan.h"

namespace trainyard {

/// The story of a plan on one or two screens.
std::string plan_text(const Plan& plan);

/// " +-8%": how far an interval reaches; nothing of an exact figure.
std::string margin_text(const Interval& interval);

}  // namespace trainyard
