// The layout of what is simulated, and which of its hosts stand for whom.
#pragma once

#include <vector>

#include "network/wiring/layout.h"
#include "trainyard/flow.h"
#include "workload/workload.h"

namespace trainyard {

struct SimulationCase;

/// Of a topology file, one network of a design, or whole datacenters. Throws InputError for what has no
/// layout.
wiring::Layout layout_of(const SimulationCase& asked);

/// Where a layout is of datacenters: flows between devices become flows between the hosts that stand for
/// them, and back. Else nothing changes. Throws InputError for flows that a device begins by turns, as its
/// hosts are two.
void devices_to_hosts(const wiring::Layout& layout, workload::Workload& workload);
void hosts_to_devices(const wiring::Layout& layout, std::vector<workload::Flow>& flows);

}  // namespace trainyard
