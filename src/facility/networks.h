// Transfers into completion times.
//
// Analytic model: every device sends and receives at its full rate in each direction at once, the fabric is
// non-blocking, and a transfer takes delay + bytes / rate (trainyard/networks.h). Contention, queues and
// transports are what flow and packet models add.
#pragma once

#include "trainyard/networks.h"
#include "trainyard/scenario.h"

namespace trainyard {

/// Rates in force: the scenario's own, or the catalog's as `assumptions.scale_up_counts` takes them, times
/// the efficiencies. A catalog rate is per direction; `both_directions` doubles it, as HotNets '24 does.
Networks networks_of(const Scenario& scenario);

}  // namespace trainyard
