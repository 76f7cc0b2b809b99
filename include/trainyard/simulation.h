// One run of either engine: a scenario's [simulation] into completion times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/packet_records.h"
#include "trainyard/simulation_progress.h"
#include "trainyard/simulation_result.h"
#include "trainyard/units.h"

namespace trainyard {

struct NetworkDesign;
struct Scenario;
class ScenarioText;

/// Of what the packet engine computes: whoever changes a digit of a result raises it, and stored results of
/// another number count no longer.
constexpr int kEngineBehaviour = 14;

/// Files that stand in for settings of the scenario.
struct SimulationFiles {
  std::shared_ptr<const SourceText> topology;     // htsim's .topo, for [[design]]
  std::shared_ptr<const SourceText> connections;  // htsim's .cm, for simulation.traffic
  std::shared_ptr<const SourceText> flows;        // CSV, the same
};

/// Every packet, or flows at max-min fair rates.
enum class SimulationEngine { packet, flow };

/// How a simulation is run; but for engine and files, the result does not depend on it.
struct SimulationRun {
  SimulationEngine engine = SimulationEngine::packet;
  SimulationFiles files = {};
  unsigned threads = 1;
  std::vector<std::int64_t> traced_flows = {};
  std::function<void(const SimulationProgress&)> progress = {};  // often
  packet::CheckpointRules checkpoints = {};
};

/// A run that was stopped before its end, as SimulationRun::checkpoints asked for.
class SimulationStopped : public std::runtime_error {
 public:
  explicit SimulationStopped(const SimulationProgress& progress);
};

/// A setting that changes nothing of a run, and why.
struct UnusedSetting {
  std::string section;
  std::string key;
  std::string why;
  std::string remedy;
};

/// Settings of [simulation] and of transports that this run does not use: those of packets where there are
/// none, of other transports, and of traffic that a file holds.
std::vector<UnusedSetting> unused_settings(const Scenario& scenario, const SimulationRun& run);

/// Settings that the run would use but for others of the scenario: marks where nothing is marked, rates of a
/// transport that has none. `remedy` is what would give it something to do.
std::vector<UnusedSetting> idle_settings(const Scenario& scenario, const SimulationRun& run);

/// Of these settings, in words, those that the text says: for SimulationResult::warnings.
std::vector<std::string> idle_warnings(const ScenarioText& text, const std::vector<UnusedSetting>& idle);

/// The design whose first network is simulated.
NetworkDesign simulated_design(const Scenario& scenario);

/// The least completion time of [simulation]'s largest flow, without simulating: SimulationResult::ideal.
Seconds least_completion(const Scenario& scenario);

/// Simulates the first network of the design. Throws InputError for what the engine cannot simulate, and for
/// a run that cannot go on (a deadlock); SimulationStopped.
SimulationResult simulate(const Scenario& scenario, const SimulationRun& run = {});

}  // namespace trainyard
