// How busy the devices of a step are, moment by moment.
#pragma once

#include <vector>

#include "step/build_step.h"
#include "step/executor.h"
#include "trainyard/networks.h"
#include "trainyard/step_timeline.h"

namespace trainyard {

/// Of all devices in equal spans of the step. Each operation is spread evenly over the time for which it
/// occupies its stream, every class as many times as it has replicas.
std::vector<BusyShares> busy_in_time(const StepModel& model, const Execution& run, const Networks& networks);

/// Over the step.
BusyShares mean_of(const std::vector<BusyShares>& spans);

}  // namespace trainyard
