// How busy the devices of a step are, moment by moment.
#pragma once

#include <vector>

#include "trainyard/step_timeline.h"

namespace trainyard {

class StepGraph;
struct Execution;
struct Networks;
struct ReplicaClass;

/// Of all devices in equal spans of the step. Each operation is spread evenly over the time for which it
/// occupies its stream, every class as many times as it has replicas.
std::vector<BusyShares> busy_in_time(const StepGraph& graph, const std::vector<ReplicaClass>& classes,
                                     std::int32_t stages, const Execution& run, const Networks& networks);

/// Over the step.
BusyShares mean_of(const std::vector<BusyShares>& spans);

}  // namespace trainyard
