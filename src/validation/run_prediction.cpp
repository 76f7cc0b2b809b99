#include "validation/run_prediction.h"

#include <algorithm>
#include <string_view>

#include "cost/calibrated_compute.h"
#include "cost/cost_case.h"
#include "cost/exposed_parts.h"
#include "cost/step_costs.h"
#include "model/model.h"
#include "parallel/memory.h"
#include "parallel/parallel.h"
#include "parallel/settings_in_vain.h"
#include "scenario/in_force.h"
#include "search/mapping_search.h"
#include "search/memory_doubt.h"
#include "step/timeline.h"
#include "step/timeline/awaited_work.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/measured_runs.h"
#include "trainyard/run_prediction.h"
#include "validation/column_names.h"
#include "validation/run_scenario.h"

namespace trainyard {
namespace {

constexpr const char* kBubble = "bubble";  // filling and draining stages, and waiting for slower ones

/// The mapping that the run states, where it has room.
MappingPlan cut(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model) {
  std::string why;
  const Cut stated{*scenario.mapping.tensor, *scenario.mapping.pipeline};
  const Placement first = scenario.mapping.placement;
  for (const Placement placement : {first, other_placement(first)}) {
    if (auto mapping = cut_model(scenario, facility, model, stated, placement, &why)) return *mapping;
  }
  throw Infeasible("devices", why, "");
}

}  // namespace

RunCase::RunCase(const MeasuredRun& run, const Catalog& catalog) {
  plan_.scenario = run_scenario(run, catalog);
  plan_.hb_domain = plan_.scenario.catalog->hb_domains.at(plan_.scenario.facility.hb_domain).info.name;
  plan_.accelerator = accelerator_of(plan_.scenario).info.name;
  plan_.facility = plan_facility(plan_.scenario);
  plan_.model =
      plan_model(plan_.scenario.model, plan_.scenario.training, plan_.scenario.assumptions.causal_attention);
  plan_.mapping = cut(plan_.scenario, plan_.facility, plan_.model);
  evaluate();
}

void RunCase::evaluate() {
  Candidate candidate = trainyard::evaluate(plan_.scenario, plan_.model, plan_.mapping);
  candidate.mapping.warnings = plan_.mapping.warnings;
  plan_.mapping = std::move(candidate.mapping);
  plan_.communication = std::move(candidate.communication);
  plan_.step = std::move(candidate.step);
}

Seconds RunCase::step(const Calibration& calibration) {
  if (!catalog_) {
    catalog_ = std::make_shared<Catalog>(*plan_.scenario.catalog);
    plan_.scenario.catalog = catalog_;
  }
  const std::string key = calibration_of(plan_.scenario);
  Calibration& own = catalog_->calibrations[key.empty() ? accelerator_key_of(plan_.scenario) : key];
  own = with_operators_of(calibration, own);
  const CostCase costs(plan_.scenario, plan_.model);
  const LayerCosts layer = layer_costs(costs, plan_.mapping);
  const CommunicationPlan communication = plan_communication(costs, plan_.mapping, layer);
  return step_times(costs, plan_.mapping, communication, layer,
                    stage_ranges(plan_.model.shape, stage_cut(plan_.mapping)))
      .step;
}

bool RunCase::fits() const { return trainyard::fits(plan_.mapping); }

namespace {

/// What the closed form's step is made of; what is no transfer, fill and drain or the optimizer is compute.
std::vector<StepEffect> plan_effects(const Plan& plan) {
  const StepPlan& s = plan.step;
  const ExposedParts parts = exposed_parts(s, plan.mapping);
  const Seconds optimizer = s.optimizer_time * s.straggling;
  const Seconds compute = s.step_pipeline - parts.exposed() - parts.bubble - optimizer;
  return {{"compute", compute, Seconds(0), false},        {kBubble, parts.bubble, Seconds(0), false},
          {"tensor", parts.tensor, Seconds(0), true},     {"context", parts.context, Seconds(0), true},
          {"pipeline", parts.pipeline, Seconds(0), true}, {"expert", parts.expert, Seconds(0), true},
          {"weights", parts.weights, Seconds(0), true},   {"gradient", parts.gradient, Seconds(0), true},
          {"offload", parts.offload, Seconds(0), true},   {"optimizer", optimizer, Seconds(0), false}};
}

StepEffect& effect(std::vector<StepEffect>& effects, std::string_view what) {
  return *std::find_if(effects.begin(), effects.end(), [&](const StepEffect& e) { return e.what == what; });
}

/// How long the busiest stage computes, without its optimizer, and what of that transfers beside it cost.
struct BusiestStage {
  StepTime time = 0;
  Slowed slowed;
};
BusiestStage busiest_stage(const StepDetail& detail) {
  BusiestStage most;
  for (const std::uint32_t stream : detail.model.compute_streams) {
    BusiestStage sum;
    for (const OperationId id : detail.model.graph.on_stream(stream)) {
      const StepOperation& op = detail.model.graph.operation(id);
      if (op.work == StepWork::optimizer) continue;
      sum.time += detail.execution.finish[id] - detail.execution.start[id];
      sum.slowed.by_weights += op.slowed.by_weights;
      sum.slowed.by_gradients += op.slowed.by_gradients;
    }
    if (sum.time > most.time) most = sum;
  }
  return most;
}

/// Both models name alike what they count apart: below ZeRO 3 weights that return to all replicas are part of
/// the exchange of gradients, and so is what the exchange slows the compute beside it by.
void name_alike(std::vector<StepEffect>& effects, const Plan& plan) {
  StepEffect& gradient = effect(effects, "gradient");
  const Seconds slowed = plan.step.exchange_contention * plan.step.straggling;
  effect(effects, "optimizer").step -= slowed;
  gradient.step += slowed;
  if (plan.scenario.mapping.zero_stage == 3) return;
  gradient.step += effect(effects, "weights").step;
  effect(effects, "weights").step = Seconds(0);
}

/// The chain of operations that the timeline's end waited for, by kind; kinds without a name are compute: the
/// busiest stage's, and besides the bubble.
void add_timeline(std::vector<StepEffect>& effects, const Plan& plan, const StepSimulation& simulation) {
  const Execution& run = simulation.detail->execution;
  const auto last = std::max_element(run.finish.begin(), run.finish.end());
  const auto works =
      awaited_work(simulation.detail->model, run, static_cast<OperationId>(last - run.finish.begin()), 0);
  Seconds computed = simulation.timeline.step;
  for (StepEffect& effect : effects) {
    for (std::size_t w = 0; w < kStepWorks; ++w) {
      if (step_work_name(static_cast<StepWork>(w)) != effect.what) continue;
      effect.step = seconds_of(works[w]);
      computed = computed - effect.step;
    }
  }
  const BusiestStage busiest = busiest_stage(*simulation.detail);
  effect(effects, kBubble).step = computed - seconds_of(busiest.time);
  effect(effects, "compute").step = seconds_of(busiest.time - busiest.slowed.all());
  effect(effects, "weights").step += seconds_of(busiest.slowed.by_weights);
  effect(effects, "gradient").step += seconds_of(busiest.slowed.by_gradients);
  name_alike(effects, plan);
}

/// A row's by its columns. Others' tables state habits whether a run's cut has them or not.
std::vector<std::string> in_vain(const MeasuredRun& run, const Plan& plan) {
  if (run.published) return {};
  std::vector<std::string> out = settings_in_vain(plan.scenario, plan.mapping);
  if (run.scenario_text.empty()) std::transform(out.begin(), out.end(), out.begin(), in_columns);
  return out;
}

/// Of a run that columns state, whose scenario has no places that its author knows.
std::string in_words(const InputError& error) {
  std::string out;
  for (const Finding& finding : error.findings()) {
    if (!out.empty()) out += "; ";
    out += in_columns(finding.message);
    if (!finding.help.empty()) out += " (" + in_columns(finding.help) + ")";
  }
  return out;
}

}  // namespace

RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog, bool with_timeline) {
  const RunCase of(run, catalog);
  RunPrediction out;
  out.plan = of.plan();
  out.step = out.plan.step.step;
  out.fits = of.fits();
  out.memory_doubt = doubt_of_room(out.plan.mapping, out.plan.step.memory_interval);
  out.warnings = in_vain(run, out.plan);
  out.effects = plan_effects(out.plan);
  if (!with_timeline) return out;
  try {
    const StepSimulation simulation = simulate_step(out.plan);
    out.timeline = simulation.timeline.step;
    add_timeline(out.effects, out.plan, simulation);
  } catch (const InputError& error) {
    out.why_no_timeline = run.scenario_text.empty() ? in_words(error) : error.what();
  }
  return out;
}

}  // namespace trainyard
