// Which layers the chunks of the stages hold.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/schedules.h"
#include "scenario/stage_deal.h"

namespace trainyard {
struct ModelPlan;
}

namespace trainyard::builder {

/// Chunks by their depth on the way through the model. The plan has to outlive it.
class Chunks {
 public:
  Chunks(const ModelPlan& model, const ScheduleShape& shape, StageCut cut);

  /// Layers of a chunk.
  std::int64_t layers(std::int32_t depth) const;

  /// Of so many layers of a chunk from its `first` on, those without experts.
  std::int64_t dense_layers(std::int32_t depth, std::int64_t first, std::int64_t layers) const;

  bool is_last(std::int32_t depth) const { return depth == shape_.stages * shape_.chunks - 1; }

 private:
  const ModelPlan* model_;
  ScheduleShape shape_;
  StageCut cut_;
  std::vector<std::int64_t> before_;  // layers, by depth; empty where all layers are of one kind
};

}  // namespace trainyard::builder
