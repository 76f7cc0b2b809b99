// The most memory that a training process allocates at once, counted the way Megatron-Core with Transformer
// Engine allocates it: what plan_memory counts, and the buffers and temporaries of the software.
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
  Bytes placeholders;      // 16-bit, one for each shape of a layer's weights: see peak_memory
  Bytes temporaries;       // of the backward pass: of the output matrix, or of a layer
  Bytes workspace;         // of the matrix library

  Bytes total() const {
    return weights + gradients + optimizer + activations + placeholders + temporaries + workspace;
  }
};

/// The fullest device. `cut` gives groups, batches, ZeRO stage, sequence parallelism, recomputation and
/// attention; absent counts are 1. `keep_all`: every microbatch waits (GPipe) in place of 1F1B.
///
/// Terms, with h the hidden size, T the tensor-parallel group and b s / C tokens of a microbatch:
/// - states: 2 + 4 + 12 bytes a parameter (Rajbhandari et al. 2020, with 32-bit gradient sums);
/// - activations: inputs of both norms, their outputs, query, key, value and attention output, the first
///   product of the feed-forward layer and the input of the second (Korthikanti et al. 2023, section 4);
///   routed experts keep their input and their inner products for each of k copies of a token; with context
///   parallelism the attention output once more, before its exchange;
/// - microbatches in flight: (2 (p - i - 1) + (v - 1) p + 1) / v on stage i with v > 1 virtual stages, p - i
///   with one (Narayanan et al. 2021, section 2.2);
/// - placeholders: Transformer Engine adds weight gradients to their 32-bit sums inside the product and gives
///   autograd an unused 16-bit buffer in place of each, one for each shape (its release 2.3 and later);
/// - temporaries: logits, gradient of the output matrix and of its input on the last stage; or the gradients
///   between the two products of a feed-forward layer; the larger.
/// Vocabularies are padded to multiples of 128 T, as Megatron-LM does.
PeakMemory peak_memory(const ModelShape& shape, const MappingInput& cut, bool keep_all = false);

/// The same for one stage.
PeakMemory stage_peak_memory(const ModelShape& shape, const MappingInput& cut, std::int64_t stage,
                             bool keep_all = false);

}  // namespace trainyard
