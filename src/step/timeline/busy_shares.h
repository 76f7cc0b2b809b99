// How busy the devices of a step are, moment by moment.
#pragma once

#include <vector>

#include "trainyard/step_timeline.h"

namespace trainyard {

struct Execution;
struct Networks;
struct StepModel;

/// Of all devices in equal spans of the step. Each operation is spread evenly over the time for which it
/// occupies its stream, every class as many times as it has replicas.
std::vector<BusyShares> busy_in_time(const StepModel& model, const Execution& run, const Networks& networks);

/// Over the step.
BusyShares mean_of(const std::vector<BusyShares>& spans);

}  // namespace trainyard
