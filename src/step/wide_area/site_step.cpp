#include "step/wide_area/site_step.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "cost/cost_case.h"
#include "cost/step_costs.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

constexpr std::size_t kWideStage = 2;

/// Of all stages but the one between sites.
ExchangePhases phases_inside(const CostCase& costs, const GradientPlan& gradient) {
  std::vector<GradientStage> stages = gradient.stages;
  stages[kWideStage].time = stages[kWideStage].delay = Seconds(0);
  return exchange_phases(costs, stages);
}

/// Flat rings have no stage between sites: with sites every other exchange may take their place.
std::vector<StagedSum> staged(const Plan& plan) {
  std::vector<StagedSum> out;
  const CostCase costs(plan.scenario, plan.model);
  const CommunicationPlan& c = plan.communication;
  const GradientExchange wanted = plan.scenario.assumptions.gradient_exchange;
  const bool named = wanted != GradientExchange::best && wanted != GradientExchange::flat;
  for (const GradientPlan& g : c.gradients) {
    if (g.stages.size() <= kWideStage || (named && g.kind != wanted)) continue;
    out.push_back({g.stages[kWideStage].bytes, phases_inside(costs, g)});
  }
  return out;
}

}  // namespace

SiteStep::SiteStep(const Plan& plan)
    : plan_(plan),
      exposure_(CostCase(plan.scenario, plan.model), plan.mapping, plan.communication, plan.step,
                layer_costs(CostCase(plan.scenario, plan.model), plan.mapping)),
      planned_step_(exposure_.with_weights() ? plan.step.weights_exposed_step
                                             : plan.step.gradient_exposed_step - plan.step.end_sums),
      planned_layer_(exposure_.with_weights() ? plan.step.exposed_weights : plan.step.exposed_gradient),
      layer_of_step_(layer_of_step(CostCase(plan.scenario, plan.model), plan.mapping)),
      layers_(real(plan.mapping.layers_per_stage)),
      every_(real(plan.scenario.wide_area.sync_every)) {
  if (plan.mapping.datacenters < 2) return;
  sums_ = staged(plan);
  TY_ASSERT(!sums_.empty(), "no exchange has a stage between datacenters");
  undisturbed_ = sums_.front().inside;
  for (const StagedSum& sum : sums_) {
    if (length(sum.inside) < length(undisturbed_)) undisturbed_ = sum.inside;
  }
}

double SiteStep::exposed_share(const ExchangePhases& layer) const {
  const StepPlan& s = plan_.step;
  if (sums_.empty()) return s.exposed_share;
  const Seconds all = s.exposed - planned_layer_ + exposed(layer);
  if (std::isinf(all.si())) return 1;
  return all / (s.forward + s.backward + all);
}

std::optional<Seconds> SiteStep::patience(const StagedSum& sum) const {
  if (undisturbed_.in_turns) return std::nullopt;
  const Seconds least = std::max(undisturbed_.sum, exposure_.hidden());
  return sum.inside.sum > least ? std::nullopt : std::optional(least);
}

Seconds SiteStep::one_batch(const ExchangePhases& layer) const {
  const StepPlan& s = plan_.step;
  if (sums_.empty()) return s.step;
  if (plan_.scenario.assumptions.step_rule == StepRule::steady_state) {
    const Seconds one = s.steady_time - planned_layer_ + exposure_.of_layer(layer);
    return one * (layers_ * real(plan_.mapping.microbatches));
  }
  return s.step_pipeline + s.straggling * (exposure_.of_step(layer) - planned_step_);
}

}  // namespace trainyard
