// Which replicas of the model a step tells apart: those that nothing distinguishes are one class.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

struct MappingPlan;
struct StepFailureInput;
struct StepInput;
struct StragglerInput;

/// Replicas of the model that nothing distinguishes.
struct ReplicaClass {
  std::int64_t replicas = 1;
  std::int32_t straggler = -1;                  // of the scenario's; -1: none
  std::vector<std::int32_t> failures = {};      // of the scenario's, in their order
  std::vector<std::int32_t> expert_peers = {};  // failed classes in its expert-parallel groups, itself aside
};

/// Stages and replicas that a failure takes: the first ones, and those behind the last.
struct FailedPlaces {
  std::int64_t stage = 0;
  std::int64_t end_stage = 0;
  std::int64_t replica = 0;
  std::int64_t end_replica = 0;
};

/// A domain takes all stages and replicas that it holds. Throws InputError, at the failure, for places that
/// the mapping does not have.
FailedPlaces failed_places(const StepFailureInput& failure, const MappingPlan& mapping);

/// The usual replicas first, in `step.replicas` classes where computing has jitter; then those that fail;
/// then stragglers, the last replicas. Expert-parallel groups are consecutive replicas. Throws InputError for
/// stragglers and failures outside the mapping.
std::vector<ReplicaClass> replica_classes(const StepInput& step,
                                          const std::vector<StragglerInput>& stragglers,
                                          const std::vector<StepFailureInput>& failures,
                                          const MappingPlan& mapping);

}  // namespace trainyard
