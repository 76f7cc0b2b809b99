// Mappings whose memory is predicted so near to a device's that the prediction's error decides.
#pragma once

#include <string>

#include "trainyard/plan/facility.h"
#include "trainyard/plan/model.h"
#include "trainyard/plan/step.h"
#include "trainyard/scenario.h"

namespace trainyard {

struct Candidate;
struct MappingPlan;

/// What one mapping has otherwise than another, as a scenario says it: "tensor = 4, recompute = \"full\"".
std::string differences(const Candidate& from, const Candidate& to);

/// That the fullest device may, or will probably, run out of memory, and with which chance; empty where the
/// interval of its predicted peak leaves room.
std::string doubt_of_room(const MappingPlan& mapping, const Interval& interval);

/// A warning where the interval of the chosen mapping's predicted peak reaches beyond a device's memory, or
/// where a mapping faster by 2% was passed over since its does; else empty.
std::string memory_doubt(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                         const Candidate& chosen);

}  // namespace trainyard
