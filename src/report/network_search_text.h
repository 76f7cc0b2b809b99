// What the search for networks found, and why.
#pragma once

#include <string>

#include "report/output.h"
#include "search/network_search.h"

namespace trainyard {

std::string network_search_text(const NetworkSearch& search);
std::string network_search_json(const NetworkSearch& search, const Provenance& provenance);
std::string network_search_csv(const NetworkSearch& search);

}  // namespace trainyard
