// One run of either engine: a scenario's [simulation] into completion times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainyard/flow.h"
#include "trainyard/network_design.h"
#include "trainyard/packet_records.h"
#include "trainyard/simulation_progress.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

/// Of what the packet engine computes: whoever changes a digit of a result raises it, and stored results of
/// another number count no longer.
constexpr int kEngineBehaviour = 1;

/// What a window of simulated time ended with; windows are merged so that a run has at most some thousand.
struct SimulationMoment {
  Seconds begin;
  Bytes longest_queue;  // of data at one port
  Bytes delivered;      // since the start
};

struct SimulationResult {
  bool packets = true;  // else rates of flows: there are no counters but `finished`, queues, moments, traces
  std::string design;
  std::int64_t hosts = 0;  // of the network
  std::int64_t planes = 1;
  BitRate link_rate;
  std::int64_t link_count = 0;  // from a host to the farthest
  std::vector<workload::Flow> flows;
  packet::Counters counters;
  Seconds end;            // of simulated time
  std::size_t bytes = 0;  // that engine and transport held at the end
  std::vector<SimulationMoment> moments;
  std::vector<packet::LinkUse> up;  // from the hosts, then from each tier up
  std::vector<packet::LinkUse> down;
  std::vector<packet::TraceEntry> trace;
  std::vector<std::string> trace_nodes;  // their names, by number

  // Completion times: from a flow's start until its sender knows that all has arrived.
  Seconds mean;
  Seconds median;
  std::vector<Seconds> quantiles;  // at 0%, 5%, ... 100%
  Seconds p99;
  Seconds longest;
  Seconds ideal;             // of the largest flow alone on the longest path
  double mean_slowdown = 1;  // over each flow's own ideal
  double p99_slowdown = 1;
  std::vector<double> slowdowns;  // of each flow; NaN: not finished
};

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

/// The design whose first network is simulated.
NetworkDesign simulated_design(const Scenario& scenario);

/// The least completion time of [simulation]'s largest flow, without simulating: SimulationResult::ideal.
Seconds least_completion(const Scenario& scenario);

/// Simulates the first network of the design. Throws InputError for what the engine cannot simulate, and for
/// a run that cannot go on (a deadlock); SimulationStopped.
SimulationResult simulate(const Scenario& scenario, const SimulationRun& run = {});

}  // namespace trainyard
