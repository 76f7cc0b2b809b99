// What a device's links carry.
#pragma once

#include "step/graph.h"
#include "trainyard/networks.h"

namespace trainyard {

/// What a device sends at most in a second; of compute, one second; of the host, both ways together.
double rate_of(const Networks& networks, StepResource resource);

}  // namespace trainyard
