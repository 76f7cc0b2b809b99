// Drawings of network designs: few of many hosts and switches, joined as the design joins them.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace trainyard {

/// One panel for each design (HotNets '24 Fig. 4; rail-only '23 Figs 1, 2 and 6).
std::string networks_svg(const std::vector<NetworkDesign>& designs);

/// The graph of one plane and network for Graphviz. Throws InputError when it has more than a few thousand
/// links.
std::string network_dot(const NetworkDesign& design);

}  // namespace trainyard
