#include "parallel/stages.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "trainyard/catalog_records.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {
namespace {

/// Layers that stay for the last of so many stages where a program counts the output matrix as the layers
/// that it weighs: stages are filled from the first on until they pass their equal share of the parameters.
std::int64_t balanced_last_stage(const ModelPlan& model, std::int64_t stages) {
  const std::int64_t layers = model.shape.blocks();
  const double output = model.parameters.output > 0 ? model.parameters.output : model.parameters.embedding;
  const double in_layers = real(layers) + output / (model.parameters.layer - model.parameters.norms);
  const auto before = static_cast<std::int64_t>(std::floor(in_layers * real(stages - 1) / real(stages))) + 1;
  return std::clamp<std::int64_t>(layers - before, 1, most_of_last(model.shape, stages));
}

}  // namespace

std::int64_t last_stage_layers(const ModelPlan& model, const MappingInput& input, const Software& software,
                               const MappingPlan& m) {
  if (m.pipeline == 1) return 0;
  if (input.last_stage_layers)
    return std::min(*input.last_stage_layers, most_of_last(model.shape, m.pipeline));
  return software.balances_stages && m.virtual_stages == 1 ? balanced_last_stage(model, m.pipeline) : 0;
}

StageCut stage_cut(const MappingPlan& mapping) { return {mapping.pipeline, mapping.last_stage_layers}; }

StageLayers model_layers(const ModelShape& shape, std::int64_t first, std::int64_t count) {
  if (shape.experts == 0) return {count, 0};
  const std::int64_t dense = shape.dense_before(first + count) - shape.dense_before(first);
  return {dense, count - dense};
}

StageLayers stage_layers(const ModelShape& shape, StageCut cut, std::int64_t stage) {
  const StageDeal deal(shape, cut);
  return model_layers(shape, deal.before(stage), deal.layers(stage));
}

std::vector<StageLayers> chunk_layers(const ModelShape& shape, StageCut cut, std::int64_t chunks) {
  const StageDeal deal(shape, cut);
  std::vector<StageLayers> out;
  std::int64_t before = 0;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int64_t stage = 0; stage < cut.stages; ++stage) {
      out.push_back(model_layers(shape, before, deal.layers_of_chunk(stage, chunk, chunks)));
      before += out.back().total();
    }
  }
  return out;
}

namespace {

/// Where experts stand in every so many layers, stages may differ wherever they begin.
StageRanges each_stage(const ModelShape& shape, StageCut cut) {
  StageRanges out;
  for (std::int64_t stage = 0; stage < cut.stages; ++stage) {
    const StageLayers layers = stage_layers(shape, cut, stage);
    const bool last = stage + 1 == cut.stages;
    if (out.size() > 1 && !last && out.back().layers == layers) {
      ++out.back().count;
    } else {
      out.push_back({stage, 1, layers});
    }
  }
  return out;
}

}  // namespace

StageRanges stage_ranges(const ModelShape& shape, StageCut cut) {
  if (shape.experts > 0 && shape.expert_interval > 1) return each_stage(shape, cut);
  const std::int64_t pipeline = cut.stages;
  const StageDeal deal(shape, cut);
  const std::int64_t dense = shape.experts > 0 ? std::min(shape.dense_layers, shape.blocks()) : 0;
  const std::int64_t mixed = deal.stage_after(dense);
  std::array begins = {std::int64_t{0}, std::int64_t{1}, deal.longer(), mixed, mixed + 1, pipeline - 1};
  std::sort(begins.begin(), begins.end());
  StageRanges out;
  for (const std::int64_t begin : begins) {
    if (begin < 0 || begin >= pipeline || (!out.empty() && out.back().first == begin)) continue;
    if (!out.empty()) out.back().count = begin - out.back().first;
    out.push_back({begin, pipeline - begin, stage_layers(shape, cut, begin)});
  }
  return out;
}

std::int64_t fullest_stage(const ModelPlan& model, const MappingPlan& mapping) {
  if (model.shape.experts == 0) return 0;
  StageRange fullest;
  for (const StageRange& range : stage_ranges(model.shape, stage_cut(mapping))) {
    if (range.layers.sparse > fullest.layers.sparse) fullest = range;
  }
  return fullest.first;
}

std::int64_t most_sparse_layers(const ModelShape& shape, StageCut cut) {
  std::int64_t most = 0;
  for (const StageRange& range : stage_ranges(shape, cut)) most = std::max(most, range.layers.sparse);
  return most;
}

}  // namespace trainyard
