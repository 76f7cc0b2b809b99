// Phases of construction, each as a plan of its own.
#pragma once

#include <vector>

#include "trainyard/ownership.h"

namespace trainyard::ownership {

/// In the scenario's order; without any, the facility at once. Throws InputError with the place of a phase.
std::vector<OwnedPhase> phases_of(const Scenario& scenario, const OwnershipInput& settings);

}  // namespace trainyard::ownership
