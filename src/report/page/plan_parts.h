// What the memory and the time of a plan are made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trainyard {

struct MemoryTerms;
struct Plan;

/// Names with values in base units; absent parts are 0.
using PlanParts = std::vector<std::pair<std::string, double>>;

/// Bytes of a device.
PlanParts memory_parts(const MemoryTerms& device);

/// Seconds of a step, by assumptions.step_rule: their sum is the step. Transfers of a layer count for every
/// layer of the fullest stage, as in the exposed share of a step; the layers' compute is the rest.
PlanParts step_parts(const Plan& plan);

}  // namespace trainyard
