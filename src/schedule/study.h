// One replay under given rules.
#pragma once

#include "schedule/cluster.h"
#include "schedule/replay.h"
#include "trainyard/jobs.h"

namespace trainyard::schedule {

/// Throws InputError and Infeasible (feasibility.h).
Played play(const Scenario& scenario, const Cluster& cluster, const ScheduleInput& settings,
            const JobList& list, const ReplayProgress& progress = {});

}  // namespace trainyard::schedule
