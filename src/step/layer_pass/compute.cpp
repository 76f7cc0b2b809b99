#include <algorithm>

#include "cost/cost.h"
#include "parallel/memory.h"
#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"
#include "trainyard/scenario.h"

namespace trainyard::layer_costs {
namespace {

PassTimes pass_times(const PassCase& c, LayerKind kind) {
  const LayerTimes t = layer_times(c.plan.scenario, c.plan.model, c.mapping, kind);
  return {c.slow(t.forward), c.slow(std::min(t.attention_forward, t.forward)), c.slow(t.recompute),
          c.slow(t.backward - t.recompute - t.backward_weight), c.slow(t.backward_weight)};
}

}  // namespace

void add_compute(LayerPass& out, const PassCase& c) {
  const Scenario& scenario = c.plan.scenario;
  out.usual = pass_times(c, LayerKind::usual);
  out.dense = c.plan.model.dense_operators.empty() ? out.usual : pass_times(c, LayerKind::dense);
  out.ends = ends_of_stages(whole_ends(scenario, c.plan.model, c.mapping), scenario, c.mapping.pipeline);
  out.ends = {c.slow(out.ends.first), c.slow(out.ends.last), c.slow(out.ends.each), c.slow(out.ends.copies)};
  out.optimizer = c.slow(optimizer_time(c.costs, c.mapping));
  out.activations = c.mapping.activation_layer;
  out.dense_activations = c.mapping.dense_activation_layer;
  out.logits = logits_beside_buffers(c.mapping, scenario, c.plan.model);
  out.recomputed = recomputed_bytes(c.plan.model.shape, scenario, c.mapping.tensor);
}

}  // namespace trainyard::layer_costs
