// What a reader of a step should know: what its hardware cannot do, and settings that change nothing.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct MappingPlan;
struct Plan;
struct StageTimeline;
struct StepModel;

/// Stages that hold more than a device has, or send more than a link carries.
std::vector<std::string> overloads(const std::vector<StageTimeline>& stages, const MappingPlan& mapping);

/// What was asked for and has no effect on this step.
std::vector<std::string> settings_without_effect(const StepModel& model, const Plan& plan);

}  // namespace trainyard
