#include "step/builder/settings.h"

#include <fmt/core.h>

#include <string>

#include "cost/calibrated_compute.h"
#include "cost/exchange_times.h"
#include "parallel/memory.h"
#include "parallel/schedules.h"
#include "scenario/in_force.h"
#include "step/layer_pass.h"
#include "trainyard/errors.h"
#include "trainyard/pipeline_schedule.h"
#include "trainyard/plan.h"

namespace trainyard::builder {
namespace {

/// Where a setting of [step] stands; for one that is left out, and so follows from others, the whole
/// scenario.
Location place(const Scenario& scenario, const std::string& key) {
  const Location* given = given_place(scenario.step.places, key);
  return given ? *given : whole(scenario.source_name);
}

/// When gradients are exchanged, by what is known of the training program.
void set_exchange(Settings& out, const Scenario& scenario, const MappingPlan& mapping) {
  const StepInput& step = scenario.step;
  const Software software = software_of(scenario);
  const bool steady = scenario.assumptions.step_rule == StepRule::steady_state;
  const bool measured = calibration_in_force(scenario) != nullptr;
  const std::int64_t zero = scenario.mapping.zero_stage;
  const bool beside = !measured || software.hides_gradients || zero == 3;
  const GradientOverlap usual = beside ? GradientOverlap::bucketed : GradientOverlap::after_batch;
  out.overlap = step.gradient_overlap.value_or(steady ? GradientOverlap::beside_pass : usual);
  const bool often = measured && repeats_gathers(scenario, software, mapping);
  out.every =
      step.exchange_every.value_or(steady || often ? ExchangeEvery::microbatch : ExchangeEvery::batch);
  out.gathers_anew = often;
  out.gather_after_optimizer = (zero == 1 || zero == 2) && out.every == ExchangeEvery::batch &&
                               out.overlap != GradientOverlap::beside_pass;
  if (out.overlap == GradientOverlap::after_batch && out.every == ExchangeEvery::microbatch) {
    fail_input(place(scenario, "gradient_overlap"), "after_batch exchanges gradients once a batch",
               "step.exchange_every = \"batch\", or another gradient_overlap");
  }
}

bool exchanges_embedding(const Scenario& scenario, const LayerPass& costs) {
  const bool wanted = scenario.step.embedding_exchange.value_or(costs.embedding.has_value());
  if (wanted && !costs.embedding) {
    fail_input(
        place(scenario, "embedding_exchange"), "no embedding of this plan stands on two stages",
        "it does with mapping.pipeline above 1, assumptions.embedding_placement = \"ends\" and a model "
        "with tied_embeddings");
  }
  return wanted;
}

}  // namespace

Settings settings_of(const Plan& plan, const LayerPass& costs) {
  const Scenario& scenario = plan.scenario;
  const StepInput& step = scenario.step;
  const bool steady = scenario.assumptions.step_rule == StepRule::steady_state;
  const bool measured = calibration_in_force(scenario) != nullptr;
  Settings out;
  out.schedule = step.schedule.value_or(usual_schedule(plan.mapping.virtual_stages));
  set_exchange(out, scenario, plan.mapping);
  out.gathers_ahead = out.gather_after_optimizer && costs.gathers_ahead && step.steps == 1;
  out.shares_gathers = measured && costs.weight_gather && step.replicas == 1;
  out.embedding_exchange = exchanges_embedding(scenario, costs);
  out.gradient_norm = step.gradient_norm.value_or(!steady) && costs.gradient_norm;
  out.tensor_overlap = step.tensor_overlap.value_or(1 - plan.communication.tensor_exposed);
  out.prefetch = step.prefetch;
  out.offload = scenario.mapping.offload_activations;
  out.offloaded = offloaded_share(scenario.mapping, plan.model.shape);
  return out;
}

ScheduleShape checked_shape(const Plan& plan, PipelineSchedule schedule) {
  const Scenario& scenario = plan.scenario;
  const MappingPlan& m = plan.mapping;
  if (!schedules_passes(m)) {
    fail_input(place(scenario, "schedule"),
               fmt::format("{} microbatches on {} stages are more than a step's simulation takes",
                           m.microbatches, m.pipeline),
               "give fewer: mapping.microbatches or training.batch_tokens");
  }
  const ScheduleShape shape = schedule_shape(m);
  const ScheduleKind& kind = schedule_kind(schedule);
  const std::string refusal = kind.rules.refusal(shape);
  if (!refusal.empty()) {
    fail_input(place(scenario, "schedule"), fmt::format("the schedule {} {}", kind.name, refusal),
               "change step.schedule, mapping.microbatches, mapping.pipeline or mapping.virtual_stages");
  }
  return shape;
}

LayerPass split_ring(LayerPass costs, const Plan& plan) {
  if (plan.communication.gradient.kind != GradientExchange::flat || costs.exchange.size() != 1) return costs;
  PassTransfer& ring = costs.exchange.front();
  if (ring.passes != 2) return costs;
  ring.passes = 1;
  ring.bytes = ring.bytes / 2;
  ring.rounds /= 2;
  ring.delay = ring.delay / 2;
  costs.exchange.push_back(ring);
  costs.exchange.front().name = "ring reduce-scatter over all replicas";
  costs.exchange.back().name = "all-gather over all replicas";
  costs.exchange.back().gathers = true;
  return costs;
}

}  // namespace trainyard::builder
