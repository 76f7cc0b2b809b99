// How far apart the sites of a scenario are.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

/// One-way delays between the first `sites` sites of a scenario: by their places, else equal; without places
/// regions of wide_area.region_sites are wide_area.region_rtt wide where the exchange is "regions".
std::vector<std::vector<Seconds>> site_delays(const Scenario& scenario, std::int64_t sites);

}  // namespace trainyard
