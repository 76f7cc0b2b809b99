// What a reader of a step should know: what its hardware cannot do, and settings that change nothing.
#pragma once

#include <string>
#include <vector>

#include "step/build_step.h"
#include "trainyard/plan.h"
#include "trainyard/step_timeline.h"

namespace trainyard {

/// Stages that hold more than a device has, or send more than a link carries.
std::vector<std::string> overloads(const std::vector<StageTimeline>& stages, const MappingPlan& mapping);

/// What was asked for and has no effect on this step.
std::vector<std::string> settings_without_effect(const StepModel& model, const Plan& plan);

}  // namespace trainyard
