// A network design with its parts in hand: its topology's record, its fabric, its graph.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct DesignInput;
struct FabricCounts;
struct Graph;
struct NetworkDesign;
struct Scenario;
struct Topology;

/// resolve_design() of any topology, in place of the one that the input names.
NetworkDesign resolve_design(const Scenario& scenario, const DesignInput& input, const Topology& topology);

/// Of the links between gateways of several datacenters.
inline constexpr const char* kWideArea = "wide area";

/// What of a design a graph holds.
struct GraphScope {
  std::int64_t planes = 0;       // 0: all
  std::int64_t networks = 0;     // 0: all
  bool all_datacenters = false;  // joined by their gateways; else one of them
  bool domains = false;          // a node for each HB domain, joined to its devices at the scale-up rate
  BitRate scale_up_rate{};
};
/// Host nodes come first, in the order of devices (gateways after them). Throws InputError when the graph
/// would be larger than kMostLinks.
Graph build_graph(const NetworkDesign& design, const GraphScope& scope = {});

/// Counts of one fabric, its tiers, links and ports as its graph has them.
FabricCounts counts_of_graph(const NetworkDesign& design);

/// The nodes of a fabric's endpoints, in its order, in the graph of one network of one datacenter.
std::vector<std::uint32_t> endpoint_nodes(const NetworkDesign& design);

}  // namespace trainyard
