// Watching ports: bytes against time to detect.
#pragma once

#include <span>
#include <vector>

#include "ownership/phases.h"
#include "trainyard/ownership.h"

namespace trainyard::ownership {

/// Ports in use of the first design's switches in all datacenters, and those of the devices.
double ports_of(const Scenario& scenario);

/// Says of the answer which phases are watched, and what watching their ports takes. Its phases are these.
void watch(OwnershipAnswer& answer, std::span<const BuiltPhase> phases);

}  // namespace trainyard::ownership
