// The fluid lower bound: no packets, no queues; flows share the hosts' links max-min fairly.
#pragma once

#include <vector>

#include "network/wiring/host_limits.h"
#include "network/wiring/layout.h"
#include "trainyard/picoseconds.h"
#include "workload/workload.h"

namespace trainyard::flow {

/// Sets when each flow begins and ends: the network in the middle never limits, the links of all planes
/// together carry a host's bytes unless the host has limits of its own, and rates are max-min fair at every
/// moment (flow/flow_simulation.h). A flow ends `latency` after its last bit was sent; those that wait for it
/// begin then.
void run_fluid(const wiring::Layout& layout, const wiring::HostLimits& limits, workload::Workload& workload,
               const std::vector<Picoseconds>& latency);

}  // namespace trainyard::flow
