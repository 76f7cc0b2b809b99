// The part of a plan that says what the run costs.
#pragma once

#include "trainyard/units.h"

namespace trainyard {

/// What the run costs.
struct CostPlan {
  UsdPerJoule electricity_price;
  Watts mean_power;  // at the higher PUE
  Joules energy;
  Usd energy_cost;
  Usd capital_cost;  // of the facility's share of its life
  Usd run_cost;
  Usd per_million_tokens;
  Joules energy_per_token;
};

}  // namespace trainyard
