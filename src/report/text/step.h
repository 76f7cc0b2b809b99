// A simulated step on the terminal.
#pragma once

#include <string>

#include "step/timeline.h"
#include "trainyard/plan.h"

namespace trainyard {

/// `processor` is what building and executing took; 0: not shown.
std::string step_text(const StepSimulation& step, const Plan& plan, Seconds processor);

}  // namespace trainyard
