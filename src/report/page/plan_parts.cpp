#include "report/page/plan_parts.h"

#include <algorithm>
#include <numeric>

#include "cost/exposed_parts.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

double sum_of(const PlanParts& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const auto& part) { return sum + part.second; });
}

}  // namespace

PlanParts memory_parts(const MemoryTerms& device) {
  return {{"weights", device.weights.si()},
          {"gradients", device.gradients.si()},
          {"optimizer states", device.optimizer.si()},
          {"activations", device.activations.si()},
          {"buffers", device.buffers.si()}};
}

PlanParts step_parts(const Plan& plan) {
  const StepTimes& s = plan.step;
  const MappingPlan& m = plan.mapping;
  const auto microbatches = static_cast<double>(m.microbatches);
  const double passes = static_cast<double>(m.layers_per_stage) * microbatches;
  PlanParts out = {
      {"tensor", s.exposed_tensor.si() * passes},   {"pipeline", s.exposed_pipeline.si() * passes},
      {"context", s.exposed_context.si() * passes}, {"experts", s.exposed_expert.si() * passes},
      {"weights", s.exposed_weights.si() * passes}, {"gradients", s.exposed_gradient.si() * passes}};
  if (plan.scenario.assumptions.step_rule != StepRule::steady_state) {
    const ExposedParts e = exposed_parts(s, m);
    out = {{"tensor", e.tensor.si()},     {"pipeline", e.pipeline.si()}, {"context", e.context.si()},
           {"experts", e.expert.si()},    {"weights", e.weights.si()},   {"gradients", e.gradient.si()},
           {"offloading", e.offload.si()}};
    out.emplace_back("embedding and output", s.head_time.si() * microbatches);
    out.emplace_back("fill and drain", e.bubble.si() / s.straggling);
    out.emplace_back("optimizer", s.optimizer_time.si());
    out.emplace_back("slow servers", (s.step - e.exposed()).si() * (1 - 1 / s.straggling));
  }
  out.emplace(out.begin(), "compute of layers", std::max(0.0, s.step.si() - sum_of(out)));
  return out;
}

}  // namespace trainyard
