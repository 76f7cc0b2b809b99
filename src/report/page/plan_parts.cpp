#include "report/page/plan_parts.h"

#include <algorithm>
#include <numeric>

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
  const bool steady = plan.scenario.assumptions.step_rule == StepRule::steady_state;
  const auto microbatches = static_cast<double>(m.microbatches);
  const double passes = static_cast<double>(m.layers_per_stage) * microbatches;
  const auto once = [&](Seconds whole, Seconds layer) {
    return steady || whole.si() == 0 ? layer.si() * passes : whole.si();
  };
  PlanParts out = {{"tensor", s.exposed_tensor.si() * passes},
                   {"pipeline", s.exposed_pipeline.si() * passes},
                   {"context", s.exposed_context.si() * passes},
                   {"experts", s.exposed_expert.si() * (steady ? passes : s.expert_layers * microbatches)},
                   {"weights", once(s.weights_exposed_step, s.exposed_weights)},
                   {"gradients", steady ? s.exposed_gradient.si() * passes : s.gradient_exposed_step.si()}};
  if (!steady) {
    out.emplace_back("embedding and output", s.head_time.si() * microbatches);
    out.emplace_back("fill and drain", s.bubble.si());
    out.emplace_back("optimizer", s.optimizer_time.si());
    out.emplace_back("slow servers", s.step.si() * (1 - 1 / s.straggling));
  }
  out.emplace(out.begin(), "compute of layers", std::max(0.0, s.step.si() - sum_of(out)));
  return out;
}

}  // namespace trainyard
