// A simulated step as a page.
#pragma once

#include <string>

#include "step/timeline.h"
#include "trainyard/plan.h"

namespace trainyard {

/// The self-contained HTML report.
std::string step_page(const StepSimulation& step, const Plan& plan);

}  // namespace trainyard
