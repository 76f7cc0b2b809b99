#include "search/space/point_planner.h"

#include <utility>

#include "parallel/memory.h"
#include "scenario/mapping_faults.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

using State = PointPlanner::State;

PointPlanner::PointPlanner(const ScenarioText& text, FreeSettings free, Wanted wanted)
    : text_(text), free_(std::move(free)), counts_(free_), wanted_(wanted) {}

bool PointPlanner::shares(std::span<const std::size_t> choice) const {
  if (!shared_) return false;
  for (std::size_t s = 0; s < choice.size(); ++s) {
    if (choice[s] != choice_[s] && !counts_.holds(s)) return false;
  }
  return true;
}

State PointPlanner::begin(std::span<const std::size_t> choice) {
  if (!shares(choice)) return begin_anew(choice);
  Scenario& scenario = shared_->plan.scenario;
  scenario.mapping = shared_->mapping;
  if (!counts_.apply(choice, scenario.mapping) || mapping_faults(scenario).any()) return State::refused;
  return shared_->buys ? State::begun : State::infeasible;
}

State PointPlanner::begin_anew(std::span<const std::size_t> choice) {
  shared_.reset();
  auto shared = std::make_unique<Shared>();
  try {
    shared->plan.scenario = text_.resolve(free_.document(choice));
    shared->mapping = shared->plan.scenario.mapping;
    shared->plan = begin_plan(shared->plan.scenario);
    shared->buys = true;
  } catch (const InputError&) {
    return State::refused;
  } catch (const Infeasible&) {  // nothing can be bought
  }
  shared_ = std::move(shared);
  choice_.assign(choice.begin(), choice.end());
  ++facilities_;
  return shared_->buys ? State::begun : State::infeasible;
}

/// Whether a mapping leaves nothing to choose.
bool PointPlanner::is_whole(const MappingInput& mapping) const {
  return mapping.tensor && mapping.pipeline && !mapping.open.any();
}

State PointPlanner::plan_numbers() {
  Plan& plan = shared_->plan;
  if (!shared_->evaluator)
    shared_->evaluator = std::make_unique<MappingEvaluator>(plan.scenario, plan.facility, plan.model);
  const MappingInput& mapping = plan.scenario.mapping;
  const CutRefusal refusal = shared_->evaluator->cut({*mapping.tensor, *mapping.pipeline}, plan.mapping);
  if (refusal != CutRefusal::none || !fits(plan.mapping)) return State::infeasible;
  static_cast<StepTimes&>(plan.step) = shared_->evaluator->times(plan.mapping);
  plan.cost = plan_cost(plan.scenario, plan.facility, plan.step.days_to_train, plan.step.tokens);
  return State::planned;
}

State PointPlanner::finish() {
  Plan& plan = shared_->plan;
  try {
    if (wanted_ == Wanted::numbers && is_whole(plan.scenario.mapping)) return plan_numbers();
    const bool placements = wanted_ == Wanted::everything;
    const PlanDetail detail = placements ? PlanDetail::whole : PlanDetail::without_placements;
    return finish_plan(plan, detail) ? State::planned : State::infeasible;
  } catch (const InputError&) {
    return State::refused;
  } catch (const Infeasible&) {
    return State::infeasible;
  }
}

}  // namespace trainyard
