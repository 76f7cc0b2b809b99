// Phases of construction, each as a plan of its own.
#pragma once

#include <optional>
#include <vector>

#include "trainyard/goodput.h"
#include "trainyard/ownership.h"

namespace trainyard::ownership {

/// Months of the plan that last as long as devices serve, whatever period the scenario simulates. Nothing:
/// they cannot be counted, and the scenario did not ask for failures.
std::optional<GoodputCase> case_of_life(const Plan& plan, const OwnershipInput& settings);

/// In the scenario's order; without any, the facility at once. Throws InputError with the place of a phase.
std::vector<OwnedPhase> phases_of(const Scenario& scenario, const OwnershipInput& settings);

}  // namespace trainyard::ownership
