// One run of the packet engine: a scenario's [simulation] into completion times.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "network/packet/flows.h"
#include "network/packet/queueing.h"
#include "trainyard/scenario.h"
#include "trainyard/units.h"

namespace trainyard {

struct SimulationResult {
  std::string design;
  std::int64_t hosts = 0;  // of the network
  BitRate link_rate;
  std::int64_t link_count = 0;  // from a host to the farthest
  std::vector<packet::Flow> flows;
  std::uint64_t finished = 0;
  packet::Counters counters;
  std::uint64_t timeouts = 0;
  Seconds end;            // of simulated time
  std::size_t bytes = 0;  // that engine and transport held at the end

  // Completion times: from a flow's start until its sender knows that all has arrived.
  Seconds mean;
  Seconds median;
  Seconds p99;
  Seconds longest;
  Seconds ideal;  // of the largest flow alone on the longest path
};

/// Progress: flows finished of all, simulated time.
using SimulationProgress = std::function<void(std::uint64_t, std::uint64_t, Seconds)>;

/// The least completion time of [simulation]'s largest flow, without simulating: SimulationResult::ideal.
Seconds least_completion(const Scenario& scenario);

/// Simulates the first network and plane of the design. Throws InputError for what cannot be simulated.
SimulationResult simulate(const Scenario& scenario, const SimulationProgress& progress = {});

}  // namespace trainyard
