// What a device's links carry.
#pragma once

#include "trainyard/step_timeline.h"

namespace trainyard {

struct Networks;

/// What a device sends at most in a second; of compute, one second; of the host, both ways together.
double rate_of(const Networks& networks, StepResource resource);

}  // namespace trainyard
