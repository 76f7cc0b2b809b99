#include "step/builder/chunks.h"

#include <algorithm>

#include "parallel/stages.h"
#include "trainyard/plan/model.h"

namespace trainyard::builder {

std::int64_t Chunks::layers(std::int32_t depth) const {
  const std::int64_t stage = depth % shape_.stages;
  const std::int64_t chunk = depth / shape_.stages;
  const std::int64_t held = stage_layers(model_->shape.layers, shape_.stages, stage);
  const std::int64_t chunks = shape_.chunks;
  return held / chunks + (chunk < held % chunks ? 1 : 0);
}

std::int64_t Chunks::dense_layers(std::int32_t depth, std::int64_t first, std::int64_t layers) const {
  if (model_->dense_operators.empty()) return 0;
  std::int64_t before = first;
  for (std::int32_t d = 0; d < depth % (shape_.stages * shape_.chunks); ++d) before += this->layers(d);
  return std::clamp<std::int64_t>(model_->shape.dense_layers - before, 0, layers);
}

}  // namespace trainyard::builder
