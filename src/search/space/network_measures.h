// Numbers of a scenario's network and of training on it, as objectives and limits of a search.
#pragma once

#include <vector>

namespace trainyard {

struct NetworkDesign;
struct Plan;
struct SearchMeasure;

/// The network that measures are about: the only [[design]] of the plan's scenario. Throws InputError where
/// there is none or more than one, where it cannot be built, and where it is for another cluster than the
/// plan's.
NetworkDesign measured_network(const Plan& plan);

/// Price and power of the networks of all datacenters, bisection, and the plan's step on them. They read
/// plans for which measured_network() throws nothing.
std::vector<SearchMeasure> network_measures();

}  // namespace trainyard
