#include "step/builder/chunks.h"

#include "scenario/stage_deal.h"
#include "trainyard/plan/model.h"

namespace trainyard::builder {

Chunks::Chunks(const ModelPlan& model, const ScheduleShape& shape, StageCut cut)
    : model_(&model), shape_(shape), cut_(cut) {
  if (model.dense_operators.empty()) return;
  std::int64_t before = 0;
  for (std::int32_t depth = 0; depth < shape.stages * shape.chunks; ++depth) {
    before_.push_back(before);
    before += layers(depth);
  }
}

std::int64_t Chunks::layers(std::int32_t depth) const {
  const std::int64_t stage = depth % shape_.stages;
  const std::int64_t chunk = depth / shape_.stages;
  return StageDeal(model_->shape, cut_).layers_of_chunk(stage, chunk, shape_.chunks);
}

std::int64_t Chunks::dense_layers(std::int32_t depth, std::int64_t first, std::int64_t layers) const {
  if (before_.empty()) return 0;
  const std::int64_t before = before_[static_cast<std::size_t>(depth) % before_.size()] + first;
  return model_->shape.dense_before(before + layers) - model_->shape.dense_before(before);
}

}  // namespace trainyard::builder
