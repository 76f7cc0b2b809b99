// A simulated step for programs.
#pragma once

#include <string>

#include "step/timeline.h"
#include "trainyard/plan.h"

namespace trainyard {

std::string step_json(const StepSimulation& step, const Plan& plan);

/// One line a stage and class of replicas.
std::string step_csv(const StepSimulation& step);

}  // namespace trainyard
