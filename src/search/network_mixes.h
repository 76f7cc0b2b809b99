// The networks that [optimize] tries.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

struct DesignInput;
struct OptimizeInput;

/// Counts of rails to try, for HB domains of so many devices.
std::vector<std::int64_t> rails_to_try(const OptimizeInput& limits, std::int64_t domain);

/// Every mix of topology, rails, switch, planes, tiers and oversubscription of each boundary between tiers.
/// Throws InputError for rails that do not divide the devices of an HB domain, and for more mixes than are
/// tried.
std::vector<DesignInput> network_mixes(const OptimizeInput& limits, std::int64_t domain);

}  // namespace trainyard
