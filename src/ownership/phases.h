// Phases of construction, each as a plan of its own, with a network of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/goodput.h"
#include "trainyard/ownership.h"

namespace trainyard::ownership {

/// What watching asks of a phase beside its books.
struct BuiltPhase {
  OwnedPhase owned;
  std::optional<GoodputCase> life;
  std::string no_ports;  // why they are not counted, where they should be
};

/// In the scenario's order; without any, the facility at once. Throws InputError with the place of a phase.
std::vector<BuiltPhase> phases_of(const Scenario& scenario, const OwnershipInput& settings);

}  // namespace trainyard::ownership
