#include "cost/exchange_times.h"

#include <algorithm>

#include "collective/all_reduces.h"
#include "cost/calibrated_compute.h"
#include "cost/cost_case.h"
#include "cost/measured_collectives.h"
#include "model/model.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "scenario/in_force.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Adapters beside the projections of attention: two thin matrices each (Hu et al. 2021, section 4).
double adapter_parameters(const Scenario& scenario, const ModelPlan& model) {
  double sum = 0;
  const double rank = real(*scenario.training.adapter_rank);
  for (const Operator& op : model.operators) {
    if (op.adapter) sum += op.weight_elements;
  }
  return sum > 0 ? sum : rank;
}

}  // namespace

HeldParameters weights_by_layer(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                                LayerKind kind) {
  const ParameterCount& p = model.parameters;
  const ModelShape& s = model.shape;
  const double adapters = scenario.training.adapter_rank ? adapter_parameters(scenario, model) : 0;
  if (kind == LayerKind::dense || s.experts == 0)
    return {(p.attention + p.ffn + adapters) / real(m.tensor), 0};
  const double routed = routed_parameters(s);
  return {(p.attention + p.experts - routed + p.router + adapters) / real(m.tensor),
          routed / real(m.expert_devices())};
}

HeldParameters held_by_layer(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                             LayerKind kind) {
  if (scenario.training.adapter_rank) return {adapter_parameters(scenario, model) / real(m.tensor), 0};
  return weights_by_layer(scenario, model, m, kind);
}

double output_held(const ModelPlan& model, const MappingPlan& m) {
  const bool copied = model.shape.tied_embeddings && m.pipeline > 1;
  return copied ? model.parameters.embedding : model.parameters.output;
}

namespace {

HeldParameters ends_of_stage(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                             std::int64_t stage) {
  if (scenario.training.adapter_rank) return {};
  const double first = stage == 0 ? model.parameters.embedding : 0;
  const double last = stage == m.pipeline - 1 ? output_held(model, m) : 0;
  return {(first + last) / real(m.tensor), 0};
}

HeldParameters held_by_stage(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                             std::int64_t stage) {
  const StageLayers layers = stage_layers(model.shape, stage_cut(m), stage);
  const HeldParameters usual = held_by_layer(scenario, model, m, LayerKind::usual);
  const HeldParameters dense = held_by_layer(scenario, model, m, LayerKind::dense);
  HeldParameters out{real(layers.dense) * dense.common + real(layers.sparse) * usual.common,
                     real(layers.sparse) * usual.experts};
  if (scenario.training.adapter_rank) return out;
  const ParameterCount& p = model.parameters;
  out.common += ends_of_stage(scenario, model, m, stage).common;
  if (stage == m.pipeline - 1 && model.shape.mtp_layers > 0) {
    const double around = p.mtp - real(model.shape.mtp_layers) * p.layer;
    const bool copied = m.pipeline > 1 && !model.shape.tied_embeddings;
    out.common += (around + (copied ? p.embedding : 0)) / real(m.tensor);
  }
  return out;
}

template <class OfStage>
HeldParameters of_device(const OfStage& of_stage, const Scenario& scenario, const ModelPlan& model,
                         const MappingPlan& m, std::int64_t stage) {
  const HeldParameters one = of_stage(scenario, model, m, stage);
  if (!holds_two_stages(scenario.step.schedule, m.pipeline)) return one;
  const HeldParameters other = of_stage(scenario, model, m, m.pipeline - 1 - stage);
  return {one.common + other.common, one.experts + other.experts};
}

}  // namespace

HeldParameters held_ends(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                         std::int64_t stage) {
  return of_device(ends_of_stage, scenario, model, m, stage);
}

HeldParameters held_parameters(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                               std::int64_t stage) {
  return of_device(held_by_stage, scenario, model, m, stage);
}

Seconds exchange_time(const MeasuredCollectives& collectives, const HeldParameters& held, double bytes,
                      double share) {
  return collectives.ring(collectives.replicas(), Bytes(held.common * bytes), share) +
         collectives.ring(collectives.expert_replicas(), Bytes(held.experts * bytes), share);
}

Seconds copies_time(const MeasuredCollectives& collectives, const HeldParameters& held, double bytes,
                    double share) {
  constexpr double kPasses = 2;  // of an all-reduce
  const double shards = collectives.replicas().ranks;
  const double expert_shards = collectives.expert_replicas().ranks;
  return kPasses *
         (collectives.ring(collectives.copies(), Bytes(held.common * bytes / shards), share) +
          collectives.ring(collectives.expert_copies(), Bytes(held.experts * bytes / expert_shards), share));
}

bool sums_whole_gradients(const Scenario& scenario, const Software& software) {
  return software.sums_whole_gradients && scenario.mapping.zero_stage == 1;
}

double sharing_replicas(const Scenario& scenario, const MappingPlan& m) {
  const double all = real(m.data * m.context);
  const auto& group = scenario.mapping.zero_group;
  return group ? std::min(all, real(*group)) : all;
}

double owned_parameters(const HeldParameters& held, const Scenario& scenario, const MappingPlan& m) {
  const double replicas = sharing_replicas(scenario, m);
  return held.common / replicas + held.experts / std::max(1.0, replicas / m.expert_spread());
}

bool repeats_gathers(const Scenario& scenario, const Software& software, const MappingPlan& m) {
  const bool once = software.whole_in_pipelines && m.pipeline > 1;
  return scenario.mapping.zero_stage == 3 && software.repeated_gathers && !once;
}

bool library_rings(const CostCase& c, const MappingPlan& m) {
  return c.calibration && m.datacenters == 1 &&
         measured_rings_stand_for(c.scenario.assumptions.exchange_between_domains, false);
}

double gathered_weight_bytes(const Scenario& scenario) {
  const double kept = bytes_of(scenario.precision.weights);
  const bool cast = calibration_in_force(scenario) && software_of(scenario).gathers_fp8 &&
                    multiplies_in(scenario, Fp8Scaling::tensor);
  return cast ? std::min(kept, bytes_of(Precision::fp8)) : kept;
}

Precision exchanged_gradients(const Scenario& scenario) {
  if (scenario.precision.gradient_exchange) return *scenario.precision.gradient_exchange;
  if (!calibration_in_force(scenario)) return Precision::bf16;
  const Software software = software_of(scenario);
  return scenario.precision.compute == Precision::fp16
             ? Precision::fp16
             : software.gradient_exchange.value_or(software.gradients);
}

namespace {

/// Of a device of a stage.
double layers_of_stage(const CostCase& c, const MappingPlan& m, OfLayer of_layer, std::int64_t stage) {
  const HeldParameters usual = of_layer(c.scenario, c.model, m, LayerKind::usual);
  const HeldParameters dense = of_layer(c.scenario, c.model, m, LayerKind::dense);
  const auto of_stage = [&](std::int64_t one) {
    const StageLayers layers = stage_layers(c.model.shape, stage_cut(m), one);
    return real(layers.sparse) +
           real(layers.dense) * (dense.common + dense.experts) / (usual.common + usual.experts);
  };
  const bool two = holds_two_stages(c.scenario.step.schedule, m.pipeline);
  return of_stage(stage) + (two ? of_stage(m.pipeline - 1 - stage) : 0);
}

}  // namespace

double exchanged_layers(const CostCase& c, const MappingPlan& m, OfLayer of_layer) {
  const bool two = holds_two_stages(c.scenario.step.schedule, m.pipeline);
  if (c.model.shape.experts == 0) return real(m.layers_per_stage) * (two ? 2 : 1);
  return layers_of_stage(c, m, of_layer, fullest_stage(c.model, m));
}

double summed_layers(const CostCase& c, const MappingPlan& m, std::int64_t stage) {
  const bool two = holds_two_stages(c.scenario.step.schedule, m.pipeline);
  const ExchangedEnds ends = summed_ends(c, m);
  const auto holds = [&](std::int64_t which) {
    return stage == which || (two && m.pipeline - 1 - stage == which);
  };
  return layers_of_stage(c, m, held_by_layer, stage) + (holds(0) ? ends.embedding : 0) +
         (holds(m.pipeline - 1) ? ends.output : 0);
}

double most_summed_layers(const CostCase& c, const MappingPlan& m) {
  return std::max({summed_layers(c, m, 0), summed_layers(c, m, m.pipeline - 1),
                   summed_layers(c, m, fullest_stage(c.model, m))});
}

namespace {

/// By the rings of a usual layer; 0 where these take no time.
double in_layers(const CostCase& c, const MappingPlan& m, OfLayer of_layer, const HeldParameters& held) {
  const MeasuredCollectives rings(c, m);
  const Seconds one = exchange_time(rings, of_layer(c.scenario, c.model, m, LayerKind::usual), 1, 1);
  return one.si() > 0 ? exchange_time(rings, held, 1, 1) / one : 0;
}

ExchangedEnds ends_in_layers(const CostCase& c, const MappingPlan& m, OfLayer of_layer) {
  const double tensor = real(m.tensor);
  return {in_layers(c, m, of_layer, {c.model.parameters.embedding / tensor, 0}),
          in_layers(c, m, of_layer, {output_held(c.model, m) / tensor, 0})};
}

}  // namespace

ExchangedEnds summed_ends(const CostCase& c, const MappingPlan& m) {
  return c.scenario.training.adapter_rank ? ExchangedEnds{} : ends_in_layers(c, m, held_by_layer);
}

ExchangedEnds gathered_ends(const CostCase& c, const MappingPlan& m) {
  const ExchangedEnds ends = ends_in_layers(c, m, weights_by_layer);
  const double width = bytes_of(c.scenario.precision.weights) / gathered_weight_bytes(c.scenario);
  return {ends.embedding * width, ends.output * width};
}

double exchanged_dense(const CostCase& c, const MappingPlan& m, OfLayer of_layer) {
  if (c.model.dense_operators.empty()) return 1;
  const double dense = in_layers(c, m, of_layer, of_layer(c.scenario, c.model, m, LayerKind::dense));
  return dense > 0 ? dense : 1;
}

double rings_at_once(const CostCase& c, const MappingPlan& m) {
  const MeasuredCollectives rings(c, m);
  const HeldParameters one = held_by_layer(c.scenario, c.model, m, LayerKind::usual);
  const double layers = real(m.layers_per_stage);
  const Seconds apart = layers * exchange_time(rings, one, c.gradient_bytes, 1);
  if (apart.si() <= 0) return 1;
  return exchange_time(rings, {layers * one.common, layers * one.experts}, c.gradient_bytes, 1) / apart;
}

}  // namespace trainyard
