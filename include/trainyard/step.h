// `trainyard step`: a training step simulated operation by operation.
//
//   const Plan plan = make_plan(ScenarioText::load("llama3-405b").resolve());
//   const StepSimulation step = simulate_step(plan, {.network = StepNetwork::flow});
//   step.timeline.step;  // Seconds
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trainyard/step_timeline.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;
struct Scenario;
struct UnusedSetting;

/// How transfers are timed: each alone in closed form; sharing links at max-min fair rates; or those of some
/// kinds by the packet engine, as the scenario's [simulation] says.
enum class StepNetwork { analytic, flow, packet };

/// "analytic"
std::string_view step_network_name(StepNetwork network);
std::span<const StepNetwork> step_networks();

/// Kinds of transfers that packets can time.
std::span<const StepWork> packet_phases();

struct StepRun {
  StepNetwork network = StepNetwork::analytic;
  std::vector<StepWork> phases = {StepWork::pipeline};  // that packets time, of packet_phases()
};

struct StepDetail;

/// A simulated step: its summary, and every operation (visit_operations; the program's own code reads
/// `detail`).
struct StepSimulation {
  StepTimeline timeline;
  std::shared_ptr<const StepDetail> detail;  // src/step/timeline.h

  void add_warnings(const std::vector<std::string>& more) {
    timeline.warnings.insert(timeline.warnings.end(), more.begin(), more.end());
  }
};

/// Simulates a step of a plan. Throws InputError, at the key of the scenario, for schedules, stragglers and
/// failures that the mapping does not allow, for networks that cannot be built or simulated, and for steps
/// that are too large.
StepSimulation simulate_step(const Plan& plan, const StepRun& run = {});

/// Settings of [simulation] and of transports that steps do not use, though packets time them: those of other
/// transports, and of traffic, which is a permutation of the step's own bytes.
std::vector<UnusedSetting> settings_no_step_uses(const Scenario& scenario);

/// One operation of a simulated step, on one device of a class that stands for all equal ones.
struct TimedOperation {
  StepWork work = StepWork::forward;
  StepResource resource = StepResource::compute;
  std::int64_t stage = 0;
  std::int64_t replica_class = 0;  // kAllReplicas: of all together
  std::int64_t microbatch = -1;    // -1: of no microbatch
  Seconds start;
  Seconds finish;
  Bytes bytes;  // that a device sends
};
constexpr std::int64_t kAllReplicas = -1;

/// Calls for every operation, in the order in which the step's graph holds them.
void visit_operations(const StepSimulation& step, const std::function<void(const TimedOperation&)>& visit);

}  // namespace trainyard
