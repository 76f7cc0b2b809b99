// The fluid lower bound: no packets, no queues; flows share the hosts' links max-min fairly.
#pragma once

#include <cstdint>
#include <vector>

#include "network/wiring/host_limits.h"
#include "network/wiring/layout.h"
#include "trainyard/picoseconds.h"
#include "workload/workload.h"

namespace trainyard::flow {

/// What a flow takes beside the hosts' links.
struct FluidFlow {
  std::uint64_t bytes = 0;  // on the wire
  Picoseconds latency = 0;  // after its last bit was sent
  Picoseconds alone = 0;    // that its bytes take on links of its way that are slower than hosts'; 0: none
};

/// Sets when each flow begins and ends: flows get in each other's way at hosts alone, where the links of all
/// planes together carry a host's bytes unless the host has limits of its own, and rates are max-min fair at
/// every moment (flow/flow_simulation.h). Those that wait for a flow begin when it has ended.
void run_fluid(const wiring::Layout& layout, const wiring::HostLimits& limits, workload::Workload& workload,
               const std::vector<FluidFlow>& fluid);

}  // namespace trainyard::flow
