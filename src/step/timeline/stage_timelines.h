// The stages of an executed step: what each computes, sends, holds and waits for.
#pragma once

#include <vector>

#include "trainyard/step_timeline.h"

namespace trainyard {

struct Execution;
struct Networks;
struct StepModel;

/// By replica class, then by stage. Operations that all replicas share count for each of their classes.
std::vector<StageTimeline> stage_timelines(const StepModel& model, const Execution& run,
                                           const Networks& networks);

}  // namespace trainyard
