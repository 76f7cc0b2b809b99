// Network designs side by side, for programs.
#pragma once

#include <string>
#include <vector>

#include "report/data/provenance.h"
#include "search/network_plan.h"

namespace trainyard {

std::string networks_json(const std::vector<NetworkAnswer>& answers, const Provenance& provenance);
std::string networks_csv(const std::vector<NetworkAnswer>& answers);

/// A named traffic, or one from a file, on every design.
struct TrafficAnswer {
  std::string design;
  std::string traffic;
  std::string routing;
  NetworkLoad load;
};
std::string loads_json(const std::vector<TrafficAnswer>& answers, const Provenance& provenance);
std::string loads_csv(const std::vector<TrafficAnswer>& answers);

}  // namespace trainyard
