// Completion times of a run's flows, summed up.
#pragma once

#include <functional>

#include "trainyard/flow.h"
#include "trainyard/units.h"

namespace trainyard {

struct SimulationResult;

/// Fills in completion times and slowdowns of the result's flows; `least`: a flow's own when it is alone.
void summarize_completions(SimulationResult& out, const std::function<Seconds(const workload::Flow&)>& least);

}  // namespace trainyard
