// The least number of links between halves of a small network's hosts, exactly.
#pragma once

#include <optional>

#include "topology/graph.h"

namespace trainyard {

/// The least cut between two halves of the hosts and gateways, over all ways to halve them, in links; of an
/// odd number the halves differ by one. A host with one link, to a switch, may stand on the other side of it
/// and then costs that link. Nothing where more than 2^15 ways to divide switches would have to be tried, or
/// nothing is there to halve.
std::optional<double> exact_bisection(const Graph& graph);

}  // namespace trainyard
