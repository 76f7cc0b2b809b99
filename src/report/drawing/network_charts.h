// Charts of network designs and of a search for them.
#pragma once

#include <vector>

#include "trainyard/report/chart.h"

namespace trainyard {

struct NetworkAnswer;
struct NetworkSearch;

/// Exposed time and what a host keeps after a failure against price, a mark for each design; fewer than two
/// designs have none.
std::vector<Chart> network_charts(const std::vector<NetworkAnswer>& answers);

/// The front of price and exposed time, of price and power, and what slower steps save.
std::vector<Chart> network_search_charts(const NetworkSearch& search);

}  // namespace trainyard
