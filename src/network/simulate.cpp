#include <fmt/core.h>

#include "base/counted.h"
#include "network/flow_run.h"
#include "network/packet_run.h"
#include "network/simulation_case.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard {

NetworkDesign simulated_design(const Scenario& scenario) {
  std::string name = scenario.simulation.design;
  if (name.empty() && !scenario.designs.empty()) name = scenario.designs.front().name;
  return designs_of(scenario, name, "simulation.design").front();
}

SimulationStopped::SimulationStopped(const SimulationProgress& progress)
    : std::runtime_error(fmt::format("stopped at {:.3f} us of simulated time, with {} of {} finished",
                                     progress.now.si() * 1e6, progress.flows_finished,
                                     counted(progress.flows, "flow"))) {}

Seconds least_completion(const Scenario& scenario) { return least_of_packets(simulation_case(scenario, {})); }

SimulationResult simulate(const Scenario& scenario, const SimulationRun& run) {
  const auto engine = run.engine == SimulationEngine::flow ? run_flows : run_packets;
  return engine(simulation_case(scenario, run.files), run);
}

}  // namespace trainyard
