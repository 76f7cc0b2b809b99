// Choosing what a scenario leaves open of a mapping.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parallel/parallel.h"
#include "search/mapping_merit.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/step.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

struct FacilityPlan;
struct ModelPlan;
struct Scenario;

/// A mapping with all that follows from it.
struct Candidate {
  MappingPlan mapping;
  CommunicationPlan communication;
  StepPlan step;
  MappingInput input;  // the scenario's, with the values chosen for what is open
};

/// What came closest when nothing fits.
struct ClosestCut {
  std::optional<MappingPlan> mapping;
  std::string why;          // when no cut had devices enough
  std::string unscheduled;  // when the step's schedule takes none of those that have

  void offer(MappingPlan candidate) {
    if (!mapping || candidate.device.total() < mapping->device.total()) mapping = std::move(candidate);
  }
};

/// A mapping that fits, and what it is chosen by.
struct RankedMapping {
  Cut cut;
  MappingInput input;  // the scenario's, with the values under trial for what is open
  Merit merit;
};

/// Communication and step of a mapping.
Candidate evaluate(const Scenario& scenario, const ModelPlan& model, MappingPlan mapping);

/// Evaluations of a search: a bound on its time that gives the same answer on every machine.
constexpr int kMostEvaluations = 500'000;

/// Whether a choice counts the chance that a device holds what is predicted (chance_of_room); `doubtful`
/// takes what may fit by it, too.
enum class MemoryRoom { counted, ignored, doubtful };

/// Whether the program chooses among mappings.
bool chooses_mapping(const MappingInput& mapping);

/// The best mapping that fits, in the usual space (mapping_space.h) or, where nothing there fits and keeps
/// the batch, in the sharded or the wide one; nothing where none does. Best: keeps the batch that is asked
/// for; then judged as `mapping.goal` says; of equals, the one that leaves fewer devices idle, then the
/// smaller tensor and pipeline. When the wanted placement has no room for a pipeline, the other one is tried.
/// Sharded states and recomputation are taken no further than memory needs. Speed counts
/// as often as a device holds what is predicted, so that a little of it is given for room in memory.
std::optional<Candidate> find_mapping(const Scenario& scenario, const FacilityPlan& facility,
                                      const ModelPlan& model, ClosestCut& closest,
                                      int most_evaluations = kMostEvaluations,
                                      MemoryRoom room = MemoryRoom::counted);

/// Every mapping that find_mapping looks at, up to kMostEvaluations, that reaches such a share of the best
/// one's speed; the best first.
std::vector<RankedMapping> mappings_near_best(const Scenario& scenario, const FacilityPlan& facility,
                                              const ModelPlan& model, double share);

/// A mapping with everything that there is to say about it.
Candidate complete(Scenario scenario, const FacilityPlan& facility, const ModelPlan& model,
                   const RankedMapping& ranked);

/// find_mapping(), or with `doubtful` room a mapping that is stated, where it may fit; throws Infeasible with
/// the term that binds, what is missing, and changes that would fit. A warning says where the error of the
/// predicted memory decides (memory_doubt.h).
Candidate choose_mapping(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                         MemoryRoom room = MemoryRoom::counted);

}  // namespace trainyard
