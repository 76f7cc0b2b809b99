// Every mapping of a model onto a number of devices that keeps a batch.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/scenario/mapping.h"
#include "trainyard/units.h"

namespace trainyard {

struct FacilityPlan;
struct ModelPlan;
struct Scenario;

/// What all mappings share.
struct HeldBatch {
  std::int64_t sequences = 1;
  std::int64_t devices = 1;
  bool recompute = false;  // the scenario's recomputation too
};

struct BatchMappings {
  std::uint64_t tried = 0;
  std::uint64_t fitting = 0;  // a device holds its part
  std::optional<MappingInput> best;
  Seconds step;  // of the best, closed form
};

/// The fastest of them. All devices work, each replica takes whole microbatches; tensor divides heads,
/// feed-forward layer and the HB domain, context the sequence into pieces of 1,024 tokens at least, pipelines
/// deal the layers as training programs do (MappingSpace), virtual stages divide a stage's layers and take
/// microbatches in rounds, experts are spread over whole replicas. Under trial beside them: microbatch, ZeRO
/// stage and recomputation; all else is the scenario's.
BatchMappings best_of_batch(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                            const HeldBatch& held);

}  // namespace trainyard
