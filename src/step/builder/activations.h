// Memory of a stage's activations: what passes take and give back.
#pragma once

#include <algorithm>

#include "parallel/schedules.h"
#include "step/builder/pass.h"
#include "step/graph.h"
#include "step/layer_pass.h"

namespace trainyard::builder {

class Activations {
 public:
  /// `buffers`: what recomputation takes is among the training program's buffers. `offloaded`: share that the
  /// host holds, layer by layer. The costs have to outlive it.
  Activations(const LayerPass& costs, bool buffers, double offloaded)
      : costs_(costs), buffers_(buffers), offloaded_(offloaded) {}

  /// What a pass keeps for its backward pass, bytes.
  double kept(const Pass& pass) const {
    return costs_.activations.si() * static_cast<double>(pass.layers - pass.dense) +
           costs_.dense_activations.si() * static_cast<double>(pass.dense);
  }

  /// Taken when the first layers of a pass are computed.
  void hold(StepGraph& graph, const Pass& pass) const {
    const double own = pass.what.work == ChunkWork::forward ? on_device(pass) : 0;
    graph.change_memory(pass.last, own + recomputed(pass) + under_way(pass), 0);
  }

  /// Given back when a pass ends.
  void release(StepGraph& graph, const Pass& pass) const {
    const double freed = makes_gradients(pass.what) ? on_device(pass) : 0;
    graph.change_memory(pass.last, 0, -freed - recomputed(pass) - under_way(pass));
  }

 private:
  double on_device(const Pass& pass) const { return kept(pass) * (1 - offloaded_); }

  /// Of layers that the host holds, that at work and the one on its way stay with a pass, as plans count them
  /// (src/parallel/device_memory.cpp).
  double under_way(const Pass& pass) const {
    constexpr double kLayers = 2;
    const double usual = pass.layers > pass.dense ? costs_.activations.si() : 0;
    const double dense = pass.dense > 0 ? costs_.dense_activations.si() : 0;
    return std::min(offloaded_ * kept(pass), kLayers * std::max(usual, dense));
  }

  /// What recomputation takes of the layer at work.
  double recomputed(const Pass& pass) const {
    return is_backward(pass.what) && pass.layers > 0 && !buffers_ ? costs_.recomputed.si() : 0;
  }

  const LayerPass& costs_;
  bool buffers_;
  double offloaded_;
};

}  // namespace trainyard::builder
