// What the search for networks found, for programs.
#pragma once

#include <string>

#include "report/data/provenance.h"
#include "search/network_search.h"

namespace trainyard {

std::string network_search_json(const NetworkSearch& search, const Provenance& provenance);
std::string network_search_csv(const NetworkSearch& search);

}  // namespace trainyard
