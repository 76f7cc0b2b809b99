#include "cost/exposed_parts.h"

#include <algorithm>

#include "trainyard/plan/mapping.h"
#include "trainyard/plan/step.h"

namespace trainyard {

ExposedParts exposed_parts(const StepTimes& step, const MappingPlan& mapping) {
  const auto layers = static_cast<double>(mapping.layers_per_stage);
  const auto microbatches = static_cast<double>(mapping.microbatches);
  const Seconds filling = std::max(Seconds(0), step.bubble - step.fill_sends - step.stall);
  const double passes = microbatches + (step.pace.si() > 0 ? filling / step.pace : 0);
  const bool gathers_once = step.weights_exposed_step.si() > 0;
  ExposedParts of_pace;  // of one microbatch
  of_pace.tensor = step.exposed_tensor * layers;
  of_pace.context = step.exposed_context * layers;
  of_pace.expert = step.exposed_expert * step.expert_layers;
  of_pace.weights = gathers_once ? Seconds(0) : step.exposed_weights * layers;
  ExposedParts out;
  out.tensor = of_pace.tensor * passes;
  out.context = of_pace.context * passes;
  out.expert = of_pace.expert * passes;
  out.weights = of_pace.weights * passes + step.weights_exposed_step;
  out.pipeline = step.exposed_pipeline * layers * microbatches + step.fill_sends;
  out.gradient = step.gradient_exposed_step;
  out.offload = step.offload_exposed_step;
  out.bubble = std::max(Seconds(0), filling - of_pace.exposed() * (passes - microbatches)) + step.stall;
  for (Seconds ExposedParts::*part :
       {&ExposedParts::tensor, &ExposedParts::context, &ExposedParts::pipeline, &ExposedParts::expert,
        &ExposedParts::weights, &ExposedParts::gradient, &ExposedParts::offload, &ExposedParts::bubble})
    out.*part = out.*part * step.straggling;
  return out;
}

}  // namespace trainyard
