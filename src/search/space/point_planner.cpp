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
    : text_(text), free_(std::move(free)), counts_(free_), held_(counts_.held()), wanted_(wanted) {}

bool PointPlanner::shares(std::span<const std::size_t> choice) const {
  if (!shared_) return false;
  for (std::size_t s = 0; s < choice.size(); ++s) {
    if (choice[s] != choice_[s] && !counts_.holds(s)) return false;
  }
  return true;
}

State PointPlanner::begin(std::span<const std::size_t> choice) {
  if (!shares(choice)) begin_anew(choice);
  if (shared_->state == State::refused) return State::refused;
  Scenario& scenario = shared_->plan.scenario;
  scenario.mapping = shared_->mapping;
  if (!counts_.apply(choice, scenario.mapping) || mapping_faults(scenario).any()) return State::refused;
  return shared_->state;
}

/// With the counts open, nothing can be wrong with them: what is refused then is refused whatever they are.
void PointPlanner::begin_anew(std::span<const std::size_t> choice) {
  shared_ = std::make_unique<Shared>();
  choice_.assign(choice.begin(), choice.end());
  ++facilities_;
  try {
    Plan& plan = shared_->plan;
    plan.scenario = text_.resolve(free_.document(choice, held_));
    shared_->mapping = plan.scenario.mapping;
    shared_->state = State::infeasible;
    plan = begin_plan(plan.scenario);
    shared_->state = State::begun;
  } catch (const InputError&) {
    shared_->state = State::refused;
  } catch (const Infeasible&) {  // nothing can be bought
  }
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
