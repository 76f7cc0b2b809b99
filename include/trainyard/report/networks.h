// Network designs, their loads, routes and the search for the cheapest, as text, JSON, CSV and drawings.
#pragma once

#include <string>
#include <vector>

#include "trainyard/network_load.h"

namespace trainyard {

struct NetworkAnswer;
struct NetworkDesign;
struct NetworkSearch;
struct Provenance;
struct RouteAnswer;
struct Scenario;

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

std::string networks_text(const std::vector<NetworkAnswer>& answers);
std::string loads_text(const std::vector<TrafficAnswer>& answers);

std::string network_search_json(const NetworkSearch& search, const Provenance& provenance);
std::string network_search_csv(const NetworkSearch& search);

std::string network_search_text(const NetworkSearch& search);

std::string route_json(const RouteAnswer& answer, const Provenance& provenance);
std::string route_csv(const RouteAnswer& answer);
std::string route_text(const RouteAnswer& answer);

/// One panel for each design (HotNets '24 Fig. 4; rail-only '23 Figs 1, 2 and 6).
std::string networks_svg(const std::vector<NetworkDesign>& designs);

/// Designs as a page in one file: drawing, comparison, bills of materials, cables, failures, loads.
std::string network_page(const Scenario& scenario, const std::vector<NetworkAnswer>& answers);

/// A search as a page in one file: the front, the best network drawn and priced, what is beside it.
std::string network_search_page(const Scenario& scenario, const NetworkSearch& search);

/// The graph of one plane and network for Graphviz. Throws InputError when it has more than a few thousand
/// links.
std::string network_dot(const NetworkDesign& design);

}  // namespace trainyard
