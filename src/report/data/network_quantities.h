// Network designs as named quantities.
#pragma once

#include <string>
#include <vector>

#include "trainyard/quantities.h"

namespace trainyard {

struct NetworkAnswer;
struct Scenario;

/// Quantities of every design: "fat_tree.switches", "fat_tree.price_usd", ... Savings are against the first.
std::vector<PlanQuantity> network_quantities(const std::vector<NetworkAnswer>& answers);

/// Those of one of the designs.
std::vector<PlanQuantity> design_quantities(const NetworkAnswer& answer,
                                            const std::vector<NetworkAnswer>& all);

/// Links that carry nothing when the rail-only analysis's traffic is walked over each design's graph:
/// "rail_optimized.idle_links".
std::vector<PlanQuantity> trimmed_quantities(const Scenario& scenario);

}  // namespace trainyard
