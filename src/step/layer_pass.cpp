#include "step/layer_pass.h"

#include "step/layer_pass/parts.h"

namespace trainyard {

LayerPass layer_pass(const Plan& plan) {
  const layer_costs::PassCase c(plan);
  LayerPass out;
  add_compute(out, c);
  add_tensor(out, c);
  add_context(out, c);
  add_expert(out, c);
  add_pipeline(out, c);
  add_weights(out, c);
  add_exchange(out, c);
  add_end_sums(out, c);
  if (c.measured) add_habits(out, c);
  return out;
}

}  // namespace trainyard
