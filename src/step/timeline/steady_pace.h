// The pace of a full pipeline.
#pragma once

#include <optional>

#include "trainyard/step_timeline.h"

namespace trainyard {

struct Execution;
struct StepModel;

/// Of the class of replicas that sets the pace. None where passes of both kinds never alternate, or there are
/// too few microbatches for the stages.
std::optional<SteadyPace> steady_pace(const StepModel& model, const Execution& run);

}  // namespace trainyard
