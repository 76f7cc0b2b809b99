#include "step/timeline.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cost/compute_times.h"
#include "facility/networks.h"
#include "step/timeline/busy_shares.h"
#include "step/timeline/exposed_times.h"
#include "step/timeline/stage_timelines.h"
#include "step/timeline/steady_pace.h"
#include "step/timeline/warnings.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

/// Over all stages, weighted by their replicas.
void add_means(StepTimeline& out) {
  double weight = 0;
  for (const StageTimeline& s : out.stages) {
    const double n = real(s.replicas);
    weight += n;
    out.compute += s.compute * n;
    out.idle += s.idle * n;
    out.stopped += s.stopped * n;
    add_exposed(out.exposed, s.exposed, n);
    out.peak_memory = std::max(out.peak_memory, s.peak_memory);
  }
  weight *= real(out.steps);
  out.compute = out.compute / weight;
  out.idle = out.idle / weight;
  out.stopped = out.stopped / weight;
  out.exposed = divided(out.exposed, weight);
  out.compute_share = out.compute / out.step;
  out.exposed_share = out.exposed.total() / out.step;
  out.idle_share = out.idle / out.step;
}

void add_rates(StepTimeline& out, const Plan& plan) {
  const MappingPlan& m = plan.mapping;
  const Flop useful = plan.model.sequence_training * m.batch_sequences;
  out.mfu = useful / (peak_rate(plan.scenario) * out.step * real(m.devices_used));
  out.tokens_per_second = m.batch_tokens / out.step.si();
}

void add_counts(StepTimeline& out, const Plan& plan, const StepModel& model) {
  out.operations = std::ssize(model.graph.operations());
  out.dependencies = static_cast<std::int64_t>(model.graph.dependencies());
  out.streams = std::ssize(model.graph.streams());
  out.layers_per_operation = model.layers_per_operation;
  out.gradient_pieces = model.gradient_pieces;
  out.devices = plan.mapping.devices_used;
  out.classes = std::ssize(out.stages);
}

StepTimeline timeline_of(const Plan& plan, const StepModel& model, const Execution& run) {
  const Networks networks = networks_of(plan.scenario);
  StepTimeline out;
  out.schedule = schedule_kind(model.schedule).name;
  out.steps = model.steps;
  out.total = seconds_of(run.end);
  out.step = out.total / real(out.steps);
  out.busy_in_time = busy_in_time(model.graph, model.replicas, model.shape.stages, run, networks);
  out.busy = mean_of(out.busy_in_time);
  out.stages = stage_timelines(model, run, networks);
  add_means(out);
  out.steady = steady_pace(model, run);
  add_rates(out, plan);
  add_counts(out, plan, model);
  out.warnings = plan.mapping.warnings;
  for (std::string& warning : overloads(out.stages, plan.mapping)) out.warnings.push_back(std::move(warning));
  return out;
}

StepFailureFacts facts_of(const StepFailureInput& failure, const MappingPlan& mapping) {
  const FailedPlaces places = failed_places(failure, mapping);
  return {.what = failure.what,
          .lost = failure.lost.value_or(1),
          .stage = places.stage,
          .stages = places.end_stage - places.stage,
          .replicas = places.end_replica - places.replica,
          .from = failure.from,
          .until = failure.until};
}

/// Executes a step's graph with its failures.
StepTimeline run(StepDetail& step, const Plan& plan, const TransferModelMaker& network) {
  const auto transfers = network(step.model, plan);
  step.execution = execute(step.model.graph, *transfers, step.model.failures);
  StepTimeline out = timeline_of(plan, step.model, step.execution);
  out.note = transfers->note();
  return out;
}

/// The same graph without its failures; they stay what they are.
StepFailureCost without_failures(StepDetail& step, const Plan& plan, const TransferModelMaker& network) {
  StepFailures failures = std::exchange(step.model.failures, {});
  const StepTimeline t = run(step, plan, network);
  step.model.failures = std::move(failures);
  StepFailureCost out{{}, t.step, t.compute, t.exposed, t.idle};
  for (const StepFailureInput& f : plan.scenario.step_failures)
    out.failures.push_back(facts_of(f, plan.mapping));
  return out;
}

}  // namespace

TransferModelMaker analytic_network() {
  return [](const StepModel& model, const Plan& plan) {
    return analytic_transfers(model.graph, networks_of(plan.scenario), model.failures);
  };
}

StepSimulation simulate_step(const Plan& plan, const TransferModelMaker& network) {
  const auto detail = std::make_shared<StepDetail>();
  detail->model = build_step(plan);
  std::optional<StepFailureCost> cost;
  if (!detail->model.failures.none()) cost = without_failures(*detail, plan, network);
  StepTimeline timeline = run(*detail, plan, network);
  timeline.failure_cost = std::move(cost);
  for (std::string& warning : settings_without_effect(detail->model, plan))
    timeline.warnings.push_back(std::move(warning));
  return {std::move(timeline), detail};
}

}  // namespace trainyard
