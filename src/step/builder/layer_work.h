// What a stage computes in a pass: its layers, some at a time, and what stands at the ends of the model.
#pragma once

#include <cstdint>

#include "step/builder/writer.h"
#include "step/layer_pass.h"
#include "trainyard/units.h"

namespace trainyard::builder {

class Activations;
struct Blueprint;
struct Pass;
class PassTransfers;
class StageExchanges;
class WeightPrefetch;
class WeightsAhead;

/// What layers of a pass wait for and start beside their compute.
struct LayerParts {
  const Activations& activations;
  const WeightPrefetch& prefetch;
  const WeightsAhead& ahead;
  const PassTransfers& transfers;
  StageExchanges& exchanges;
};

class LayerWork {
 public:
  LayerWork(const Blueprint& blueprint, Writer& writer, const LayerParts& parts)
      : b_(blueprint), writer_(writer), parts_(parts) {}

  /// The next layers of a pass, as one operation of compute and its transfers. A chunk without layers, of a
  /// stage that holds fewer than the others, only passes on what arrives.
  void add_layers(Pass& pass) const;

  /// Output matrix and loss behind the last layer, the embedding before the first.
  void add_head(Pass& pass) const;

 private:
  /// Layers of a pass that are computed together.
  struct Layers {
    std::int64_t first = 0;  // counted in the chunk
    double count = 0;
    double dense = 0;  // of them without experts
    bool begins = false;
    double gathered = 0;  // whose weights arrive beside them, in usual ones
  };

  Layers next_layers(Pass& pass) const;
  Seconds of_chunk(const Pass& pass) const;
  Seconds compute_time(const Pass& pass, const Layers& layers, const PassTimes& t) const;
  Writer::Beside slowed(const Pass& pass, const Layers& layers) const;
  Seconds attention_time(const Pass& pass, const PassTimes& t) const;
  PassTimes times(const Layers& layers) const;
  void compute(Pass& pass, const Layers& layers, const PassTimes& t) const;

  const Blueprint& b_;
  Writer& writer_;
  LayerParts parts_;
};

}  // namespace trainyard::builder
