// Watching ports: bytes against time to detect.
#pragma once

#include <vector>

#include "trainyard/ownership.h"

namespace trainyard {
struct Plan;
}

namespace trainyard::ownership {

/// Ports in use of the first design's switches in all datacenters, and those of the devices.
double watched_ports(const Scenario& scenario);

std::vector<Watch> watches_of(const Plan& plan, const OwnershipInput& settings, double ports);

}  // namespace trainyard::ownership
