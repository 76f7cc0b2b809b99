#include "step/wide_area/site_step.h"

#include <vector>

#include "base/errors.h"
#include "collective/collective.h"

namespace trainyard {
namespace {

constexpr std::size_t kWideStage = 2;

/// The exchange in force, or the quickest that has stages of its own between datacenters.
const GradientPlan& staged(const Plan& plan) {
  const CommunicationPlan& c = plan.communication;
  if (c.gradient.stages.size() > kWideStage) return c.gradient;
  const GradientPlan* best = nullptr;
  for (const GradientPlan& g : c.gradients) {
    if (g.stages.size() > kWideStage && (!best || g.pipelined < best->pipelined)) best = &g;
  }
  TY_ASSERT(best != nullptr, "no hierarchical exchange");
  return *best;
}

Seconds time_inside(const Plan& plan, const GradientPlan& gradient) {
  std::vector<GradientStage> stages = gradient.stages;
  stages[kWideStage].time = Seconds(0);
  return pipelined_time(stages, plan.scenario.assumptions.stage_overlap);
}

}  // namespace

SiteStep::SiteStep(const Plan& plan)
    : plan_(plan),
      stage_(staged(plan).stages[kWideStage]),
      inside_(time_inside(plan, staged(plan))),
      layers_(real(plan.mapping.layers_per_stage)),
      every_(real(plan.scenario.wide_area.sync_every)) {}

double SiteStep::exposed_share(Seconds between) const {
  const StepPlan& s = plan_.step;
  const Seconds all = s.exposed - s.exposed_gradient + exposed(between);
  if (std::isinf(all.si())) return 1;
  return all / (s.forward + s.backward + all);
}

Seconds SiteStep::one_batch(Seconds between) const {
  const StepPlan& s = plan_.step;
  const double microbatches = real(plan_.mapping.microbatches);
  const Seconds exchange = pipelined(between);
  if (plan_.scenario.assumptions.step_rule == StepRule::steady_state) {
    const Seconds layer = s.steady_time - s.exposed_gradient + beyond(exchange);
    return layer * (layers_ * microbatches);
  }
  const Seconds at_end = std::max(std::max(Seconds(0), exchange * layers_ - s.backward * layers_), exchange);
  return s.step_pipeline - s.gradient_exposed_step + at_end;
}

}  // namespace trainyard
