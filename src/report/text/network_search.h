// What the search for networks found, and why.
#pragma once

#include <string>

#include "search/network_search.h"

namespace trainyard {

std::string network_search_text(const NetworkSearch& search);

}  // namespace trainyard
