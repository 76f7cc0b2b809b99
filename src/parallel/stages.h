// Layers of the pipeline stages.
#pragma once

#include <cstdint>
#include <vector>

#include "scenario/stage_deal.h"

namespace trainyard {

struct MappingInput;
struct MappingPlan;
struct ModelPlan;
struct ModelShape;
struct Software;

/// Layers of a pipeline stage by kind; those without experts come first.
struct StageLayers {
  std::int64_t dense = 0;
  std::int64_t sparse = 0;  // with routed experts
  std::int64_t total() const { return dense + sparse; }
  bool operator==(const StageLayers&) const = default;
};

/// Layers kept for the last stage of a mapping whose stages are known: given, as far as the others have as
/// many, or as the program balances them; 0: dealt as the others.
std::int64_t last_stage_layers(const ModelPlan& model, const MappingInput& input, const Software& software,
                               const MappingPlan& mapping);

/// How a mapping cuts the pipeline.
StageCut stage_cut(const MappingPlan& mapping);

/// Layers of a model from `first` on, by kind.
StageLayers model_layers(const ModelShape& shape, std::int64_t first, std::int64_t count);

StageLayers stage_layers(const ModelShape& shape, StageCut cut, std::int64_t stage);

/// Of every chunk (virtual stage), by its depth in the model.
std::vector<StageLayers> chunk_layers(const ModelShape& shape, StageCut cut, std::int64_t chunks);

/// The first of the stages that hold the most layers with experts; of a dense model, the first.
std::int64_t fullest_stage(const ModelPlan& model, const MappingPlan& mapping);
/// The most layers with experts that a stage holds.
std::int64_t most_sparse_layers(const ModelShape& shape, StageCut cut);

/// Neighbouring stages that hold the same layers; the first and the last stand alone.
struct StageRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
  StageLayers layers;
};

/// All stages, in a handful of ranges however many there are; in more where experts stand in every so many
/// layers.
using StageRanges = std::vector<StageRange>;
StageRanges stage_ranges(const ModelShape& shape, StageCut cut);

}  // namespace trainyard
