// [simulation] at flow level: the same designs, traffic and failures as in packet simulations, and more
// designs, at max-min fair rates.
#pragma once

#include "network/simulate.h"

namespace trainyard {

/// Simulates the first network of the design. Packets count as far as their headers take capacity, and one of
/// them takes time at every switch; transports, queues and losses do not. Paths are those of
/// simulation.load_balancing, or of what suits simulation.transport. Flows that no link serves do not finish.
/// Throws InputError for what cannot be simulated, and for what of `run` only packets have.
SimulationResult simulate_flows(const Scenario& scenario, const SimulationRun& run = {});

}  // namespace trainyard
