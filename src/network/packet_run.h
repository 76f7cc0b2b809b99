// One run of the packet engine.
#pragma once

#include "trainyard/units.h"

namespace trainyard {

struct SimulationCase;
struct SimulationResult;
struct SimulationRun;

/// Throws InputError for what cannot be simulated, and for a run that cannot go on (a deadlock);
/// SimulationStopped.
SimulationResult run_packets(const SimulationCase& asked, const SimulationRun& how);

/// The least completion time of the largest flow, without simulating: SimulationResult::ideal.
Seconds least_of_packets(const SimulationCase& asked);

}  // namespace trainyard
