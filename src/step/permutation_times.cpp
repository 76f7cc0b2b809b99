#include "step/permutation_times.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopping.h"
#include "scenario/sections.h"
#include "scenario/simulation_readers.h"
#include "topology/fabric.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

/// The scenario with all hosts that take part in a permutation of flows of this size.
Scenario permutation_of(const Scenario& scenario, Bytes bytes) {
  Scenario out = scenario;
  SimulationInput& s = out.simulation;
  s.traffic = "permutation";
  s.bytes = bytes;
  s.load.reset();
  s.flows.reset();
  s.duration.reset();
  s.sizes.reset();
  s.chunks.reset();
  s.group.reset();
  return out;
}

/// Without the first planes of its first host.
Scenario without_planes(const Scenario& scenario, std::int64_t lost) {
  Scenario out = scenario;
  for (std::int64_t plane = 0; plane < lost; ++plane) {
    FailureInput failure;
    failure.node = "host 0";
    failure.plane = plane;
    failure.places = scenario.step.places;
    out.failures.push_back(failure);
  }
  return out;
}

}  // namespace

std::vector<UnusedSetting> settings_no_step_uses(const Scenario& scenario) {
  std::vector<UnusedSetting> out = unused_settings(permutation_of(scenario, scenario.simulation.bytes), {});
  for (const auto& field : simulation_fields()) {
    const bool of_traffic = (field.info.readers & simulation_reader::kOwnFlows) != 0;
    if (of_traffic && field.info.name != "active")
      out.push_back({"simulation", field.info.name, "packets time a step by permutations of its own bytes",
                     "simulate"});
  }
  return out;
}

PermutationTimes::PermutationTimes(const Scenario& scenario, std::int64_t lost_planes,
                                   std::shared_ptr<PermutationMemo> memo, double most_packets)
    : intact_(scenario), scenario_(without_planes(scenario, lost_planes)), memo_(std::move(memo)) {
  const NetworkDesign design = simulated_design(scenario);
  hosts_ = design.fabric->endpoints() - design.gateways;
  const double packet = scenario.simulation.packet.si();
  const double packets = most_packets / (static_cast<double>(hosts_) * scenario.simulation.active);
  if (packets < static_cast<double>(std::max<std::int64_t>(2, scenario.simulation.window))) {
    fail_design(design.input, "hosts",
                fmt::format("a network of {} hosts is more than packets are simulated on for a step", hosts_),
                "give a sample of it: fewer `hosts`, and a smaller `radix` for as many tiers");
  }
  most_ = Bytes(std::floor(packets) * packet);
  identity_ = simulation_hash(permutation_of(scenario_, most_));
}

Seconds PermutationTimes::last(Bytes bytes) {
  const std::pair key{identity_, bytes.si()};
  const auto known = memo_->find(key);
  if (known != memo_->end()) return known->second;
  SimulationRun run;
  run.progress = [](const SimulationProgress&) { pause_point(); };
  return memo_->emplace(key, simulate(permutation_of(scenario_, bytes), run).longest).first->second;
}

Seconds PermutationTimes::least(Bytes bytes) const {
  return least_completion(permutation_of(intact_, bytes));
}

double PermutationTimes::slowdown(Bytes bytes) {
  const Bytes size(std::max(1.0, std::round(bytes.si())));
  if (size <= most_) return std::max(1.0, last(size) / least(size));
  return std::max(1.0, extrapolated(most_, size) / least(size));
}

/// fixed + slope x bytes, through a size and half of it.
Seconds PermutationTimes::extrapolated(Bytes largest, Bytes bytes) {
  const Seconds half = last(largest / 2);
  const Seconds whole_size = last(largest);
  return whole_size + (whole_size - half) * ((bytes - largest) / (largest / 2));
}

double PermutationTimes::extrapolation_error() { return extrapolated(most_ / 2, most_) / last(most_) - 1; }

}  // namespace trainyard
