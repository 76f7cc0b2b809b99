// A day on a site.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/chart.h"

namespace trainyard {

struct OperationAnswer;

/// Devices by who has them, with the power below, part by part.
std::string operation_in_time(const OperationAnswer& answer);

/// Power within a step; days against net cost for each price above which training pauses.
std::vector<Chart> operation_charts(const OperationAnswer& answer);

}  // namespace trainyard
