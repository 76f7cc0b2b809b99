#include "search/space/point_planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parallel/memory.h"
#include "scenario/mapping_faults.h"
#include "search/mapping_evaluator.h"
#include "search/mapping_search.h"
#include "search/plan_stages.h"
#include "search/space/network_measures.h"
#include "search/space/planned_part.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/range.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

using State = PointPlanner::State;

namespace {

constexpr double kUnread = 4;  // contradictions that a value stands for which no setting has

/// From 0 to 1.
double squeezed(double number) { return number / (1 + number); }

/// Stages without layers are two: their chunks are not counted.
double contradictions(const MappingFaults& f) {
  const int count = 2 * static_cast<int>(f.empty_stages) + static_cast<int>(f.uneven_chunks) +
                    static_cast<int>(f.chunks_without_stages) + static_cast<int>(f.uneven_experts) +
                    static_cast<int>(f.long_context) + static_cast<int>(f.wide_tensor);
  return count;
}

}  // namespace

struct PointPlanner::Shared {
  Plan plan;
  MappingInput mapping;          // before the counts of a point
  State state = State::refused;  // of all points: refused, infeasible where nothing can be bought, or begun
  double contradictions = 0;     // where refused, how many
  std::unique_ptr<MappingEvaluator> evaluator;
};

PointPlanner::PointPlanner(const ScenarioText& text, FreeSettings free, Wanted wanted, bool network)
    : text_(text),
      free_(std::move(free)),
      counts_(free_),
      held_(counts_.held()),
      wanted_(wanted),
      network_(network) {}

PointPlanner::~PointPlanner() = default;

const Plan& PointPlanner::plan() const { return shared_->plan; }

bool PointPlanner::shares(std::span<const std::size_t> choice) const {
  if (!shared_) return false;
  for (std::size_t s = 0; s < choice.size(); ++s) {
    if (choice[s] != choice_[s] && !counts_.holds(s)) return false;
  }
  return true;
}

State PointPlanner::begin(std::span<const std::size_t> choice) {
  if (!shares(choice)) begin_anew(choice);
  if (shared_->state == State::refused) {
    distance_ = 2 + squeezed(shared_->contradictions);
    return State::refused;
  }
  Scenario& scenario = shared_->plan.scenario;
  scenario.mapping = shared_->mapping;
  const bool read = counts_.apply(choice, scenario.mapping);
  const MappingFaults faults = mapping_faults(scenario);
  if (!read || faults.any()) {
    distance_ = 2 + squeezed(read ? contradictions(faults) : kUnread);
    return State::refused;
  }
  distance_ = 1;
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
  } catch (const InputError& error) {
    shared_->contradictions = static_cast<double>(error.findings().size());
    shared_->state = State::refused;
  } catch (const Infeasible&) {  // nothing can be bought
  }
}

bool PointPlanner::is_whole() const { return !chooses_mapping(shared_->plan.scenario.mapping); }

/// Times that the devices of one replica, or of as many as are given, have to double to hold the cut.
double PointPlanner::lacking_devices() const {
  const MappingInput& m = shared_->plan.scenario.mapping;
  const double needed = real(*m.tensor) * real(*m.pipeline) * real(m.context) * real(m.data.value_or(1));
  return std::log2(std::max(1.0, needed / real(shared_->plan.facility.devices)));
}

State PointPlanner::plan_numbers() {
  Plan& plan = shared_->plan;
  if (!shared_->evaluator)
    shared_->evaluator = std::make_unique<MappingEvaluator>(plan.scenario, plan.facility, plan.model);
  const MappingInput& mapping = plan.scenario.mapping;
  const CutRefusal refusal = shared_->evaluator->cut({*mapping.tensor, *mapping.pipeline}, plan.mapping);
  if (refusal != CutRefusal::none) {
    distance_ = 1 + squeezed(lacking_devices());
    return State::infeasible;
  }
  if (!fits(plan.mapping)) {
    distance_ = squeezed(plan.mapping.device.total() / plan.mapping.device_memory - 1);
    return State::infeasible;
  }
  static_cast<StepTimes&>(plan.step) = shared_->evaluator->times(plan.mapping);
  plan.cost = plan_cost(plan.scenario, plan.facility, plan.step.days_to_train, plan.step.tokens);
  return State::planned;
}

State PointPlanner::plan_rest() {
  if (wanted_ == Wanted::numbers && is_whole()) return plan_numbers();
  const bool placements = wanted_ == Wanted::everything;
  const PlanDetail detail = placements ? PlanDetail::whole : PlanDetail::without_placements;
  return finish_plan(shared_->plan, detail) ? State::planned : State::infeasible;
}

State PointPlanner::finish() {
  try {
    const State state = plan_rest();
    if (network_ && state == State::planned) measured_network(shared_->plan);
    return state;
  } catch (const InputError&) {
    return State::refused;
  } catch (const Infeasible&) {
    return State::infeasible;
  }
}

}  // namespace trainyard
