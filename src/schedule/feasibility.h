// Whether a replay can end, before it begins.
#pragma once

#include "schedule/cluster.h"

namespace trainyard {
struct JobList;
}  // namespace trainyard

namespace trainyard::schedule {

/// Throws InputError with file and row for jobs that the empty cluster does not hold, or that are none at
/// all; Infeasible for failures that let a job never end: why, and what would.
void check_jobs(const Cluster& cluster, const ScheduleInput& settings, const JobList& list);

}  // namespace trainyard::schedule
