// The most memory that a training process allocates at once, counted the way Megatron-Core with Transformer
// Engine allocates it: the count of plan_memory for a shape and a cut outside of a scenario.
#pragma once

#include <cstdint>

#include "trainyard/catalog.h"
#include "trainyard/scenario.h"
#include "trainyard/units.h"

namespace trainyard {

/// Terms of one device at the moment at which it holds most.
struct PeakMemory {
  std::int64_t stage = 0;  // of the pipeline, from 0
  Bytes weights;           // 16-bit, used by the passes
  Bytes gradients;         // 32-bit sums over microbatches
  Bytes optimizer;         // 32-bit master weights and two moments, divided over replicas from ZeRO-1 on
  Bytes activations;       // of every microbatch that waits for its backward pass
  Bytes placeholders;      // 16-bit, one for each shape of a layer's weights
  Bytes temporaries;       // of the backward pass: of the output matrix, or of a layer
  Bytes workspace;         // of the matrix library

  Bytes total() const {
    return weights + gradients + optimizer + activations + placeholders + temporaries + workspace;
  }
};

/// The fullest device. `cut` gives groups, batches, ZeRO stage, sequence parallelism, recomputation and
/// attention; absent counts are 1. `keep_all`: every microbatch waits (GPipe) in place of 1F1B. Numbers are
/// those of mixed precision: weights of 2 bytes, gradients of 4, a master copy and two moments of 4 each.
/// The terms are those of plan_memory (parallel.h).
PeakMemory peak_memory(const ModelShape& shape, const MappingInput& cut, bool keep_all = false);

/// The same for one stage.
PeakMemory stage_peak_memory(const ModelShape& shape, const MappingInput& cut, std::int64_t stage,
                             bool keep_all = false);

}  // namespace trainyard
