// What is sent: the flows of a simulation and which of them wait for others.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/flows.h"
#include "topology/topology.h"
#include "trainyard/scenario.h"

namespace trainyard::packet {

struct Workload {
  std::vector<Flow> flows;
  std::vector<Dependency> dependencies;
};

/// Throws InputError for traffic that the network's `hosts` cannot send.
Workload workload_of(const Scenario& scenario, const NetworkDesign& design, std::int64_t hosts);

/// Throws InputError at `where` when flows wait for themselves, with the circle.
void check_dependencies(const Workload& workload, const Location& where);

}  // namespace trainyard::packet
