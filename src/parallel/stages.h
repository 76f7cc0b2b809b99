// Layers of the pipeline stages.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

struct ModelShape;

/// Layers of a pipeline stage by kind; those without experts come first.
struct StageLayers {
  std::int64_t dense = 0;
  std::int64_t sparse = 0;  // with routed experts
  std::int64_t total() const { return dense + sparse; }
  bool operator==(const StageLayers&) const = default;
};

StageLayers stage_layers(const ModelShape& shape, std::int64_t pipeline, std::int64_t stage);

/// Neighbouring stages that hold the same layers; the first and the last stand alone.
struct StageRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
  StageLayers layers;
};

/// All stages, in a handful of ranges however many there are.
using StageRanges = std::vector<StageRange>;
StageRanges stage_ranges(const ModelShape& shape, std::int64_t pipeline);

}  // namespace trainyard
