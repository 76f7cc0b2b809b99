// What is paid when, and what is trained.
#pragma once

#include <span>
#include <string>

#include "trainyard/ownership.h"

namespace trainyard::ownership {

/// Until the horizon. Between deliveries, starts and retirements all rates are constant, and months are
/// summed in closed form.
Ownership keep_ledger(std::span<const OwnedPhase> phases, const OwnershipInput& settings,
                      double target_tokens, UsdPerJoule electricity_price, std::string name);

}  // namespace trainyard::ownership
