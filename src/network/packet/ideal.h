// The fluid lower bound: no packets, no queues; flows share the hosts' links max-min fairly.
#pragma once

#include <vector>

#include "network/packet/flows.h"
#include "network/packet/host_limits.h"
#include "network/packet/layout.h"

namespace trainyard::packet {

/// Sets when each flow begins and ends: the network in the middle never limits, the links of all planes
/// together carry a host's bytes unless the host has limits of its own, and rates are max-min fair at every
/// moment (flow/flow_simulation.h). A flow ends `latency` after its last bit was sent; those that wait for it
/// begin then.
void run_fluid(const Layout& layout, const HostLimits& limits, std::vector<Flow>& flows,
               const std::vector<Dependency>& dependencies, const std::vector<Picoseconds>& latency);

}  // namespace trainyard::packet
