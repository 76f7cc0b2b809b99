// The memory of a device of each pipeline stage, term by term: the one count that plans, searches, simulated
// steps and the comparison with measured peaks share.
#pragma once

#include "trainyard/units.h"

namespace trainyard {

struct LayerMemories;
struct LayerMemory;
struct MemoryCase;
struct StageLayers;

/// Terms of one device at the moment at which it holds most.
struct DeviceTerms {
  Bytes weights;       // as the passes use them
  Bytes master;        // copy that the optimizer updates
  Bytes gradients;     // sums over microbatches
  Bytes optimizer;     // states
  Bytes activations;   // of every microbatch that waits for its backward pass
  Bytes gathered;      // weights and whole gradients beside their shards, buckets of exchanges
  Bytes placeholders;  // of weight gradients
  Bytes temporaries;   // of the backward pass: of the output matrix, or of a layer
  Bytes workspace;     // of libraries

  Bytes total() const {
    return weights + master + gradients + optimizer + activations + gathered + placeholders + temporaries +
           workspace;
  }
};

/// Counts the stages of a case, by layers that are counted already; both must outlive it.
class DeviceMemory {
 public:
  DeviceMemory(const MemoryCase& c, const LayerMemories& layers);

  DeviceTerms of(std::int64_t stage) const;
  DeviceTerms of(std::int64_t stage, const StageLayers& layers) const;

  /// Bytes that a device keeps of one microbatch for its layers.
  Bytes kept(const StageLayers& layers) const;
  Bytes on_device(std::int64_t stage, const StageLayers& layers) const;

  /// Logits in 32 bits, as the papers count them (Korthikanti et al. 2023, section 4.3).
  Bytes idealised_logits() const;

  /// Microbatches whose activations wait on a stage for their backward pass.
  double in_flight(std::int64_t stage) const;

 private:
  double padded_vocabulary() const;
  double table() const;
  double module_parameters() const;
  double module_kept(std::int64_t stage) const;
  double end_parameters(std::int64_t stage) const;
  void add_states(DeviceTerms& m, double parameters, double adapters, double spread) const;
  double placeholders(const StageLayers& layers) const;
  double gathered_weights(const LayerMemory& layer) const;
  bool whole_in_pipeline() const;
  double gathered_ends(std::int64_t stage) const;
  double layer_temporaries(const StageLayers& layers) const;
  double head_temporaries(std::int64_t stage) const;
  double idealised_extra(std::int64_t stage, const StageLayers& layers) const;

  const MemoryCase& c_;
  double tokens_;  // of a microbatch, on one rank of the context-parallel group
  double replicas_;
  double sharing_;  // replicas that ZeRO divides states over
  double spread_;   // replicas over which a set of experts is spread
  double t_sequence_;
  const LayerMemories& layers_;
  const LayerMemory& dense_;
  const LayerMemory& sparse_;
};

}  // namespace trainyard
