// Rates of jobs by flows, held against packets.
#pragma once

#include <vector>

#include "schedule/cluster.h"
#include "schedule/observer.h"
#include "schedule/replay.h"
#include "trainyard/schedule.h"

namespace trainyard {
struct Scenario;
}

namespace trainyard::schedule {

/// Each moment's jobs send through one network of the cluster, packet by packet, bytes in proportion to their
/// rates by flows: were these right, all would end at once. Equal moments are simulated once.
std::vector<ScheduleCheck> check_by_packets(const Scenario& scenario, const Cluster& cluster,
                                            const std::vector<Snapshot>& snapshots,
                                            const ReplayProgress& progress = {});

}  // namespace trainyard::schedule
