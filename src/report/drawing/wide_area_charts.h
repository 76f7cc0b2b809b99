// Several sites as charts.
#pragma once

#include <vector>

#include "network/long_haul.h"
#include "report/drawing/chart.h"
#include "search/wide_area_plan.h"

namespace trainyard {

/// Exposed share against capacity, a line for each number of sites (Fig. 3c of HotNets '24).
Chart wide_area_chart(const WideAreaAnswer& answer);

/// The longest completion time against the bit-error rate, a line for each transport.
Chart long_haul_chart(const std::vector<LongHaulResult>& results);

}  // namespace trainyard
