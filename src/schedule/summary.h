// A replay in few numbers.
#pragma once

#include "schedule/cluster.h"
#include "trainyard/jobs.h"

namespace trainyard::schedule {

struct Played;

ScheduleTotals totals_of(const Cluster& cluster, const JobList& list, const Played& played);

/// By powers of two of devices: 1, 2, 3 to 4, 5 to 8, ...; only those that have jobs.
std::vector<ScheduleClass> classes_of(const JobList& list, const Played& played);

}  // namespace trainyard::schedule
