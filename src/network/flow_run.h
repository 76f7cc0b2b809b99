// One run at flow level: the same designs, traffic and failures as in packet simulations, and more designs,
// at max-min fair rates.
#pragma once

#include "trainyard/simulation_result.h"

namespace trainyard {

struct SimulationCase;
struct SimulationRun;

/// Packets count as far as their headers take capacity, and one of them takes time at every switch;
/// transports, queues and losses do not. Paths are those of simulation.load_balancing, or of what suits
/// simulation.transport. Flows that no link serves do not finish. Throws InputError for what cannot be
/// simulated, and for what of `how` only packets have.
SimulationResult run_flows(const SimulationCase& asked, const SimulationRun& how);

}  // namespace trainyard
