#include "parallel/memory.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/model.h"
#include "parallel/device_memory.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "scenario/in_force.h"
#include "scenario/stage_deal.h"
#include "trainyard/plan/model.h"
#include "trainyard/plan/step.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

NumberBytes number_bytes(const PrecisionInput& p, const Software& software) {
  NumberBytes out;
  out.weight = bytes_of(p.weights);
  out.master = p.master_copy ? bytes_of(p.master) : 0;
  out.gradient = bytes_of(p.gradients);
  out.optimizer = real(p.optimizer_states) * bytes_of(p.optimizer);
  out.activation = out.input = bytes_of(p.activations);
  out.activation_input = bytes_of(p.activation_input.value_or(p.activations));
  if (software.cast_inputs) out.input = std::min(out.input, bytes_of(p.compute));
  return out;
}

double share_of_layers(std::int64_t layers, const ModelShape& shape) {
  return std::min(1.0, real(layers) / real(shape.blocks()));
}

/// What the scenario says, without the mapping's counts.
MemoryCase case_of(const ModelShape& shape, const Scenario& scenario, const Software& software) {
  const MappingInput& mapping = scenario.mapping;
  MemoryCase c(shape, software);
  c.context = mapping.context;
  c.expert = mapping.expert;
  c.expert_tensor = mapping.expert_tensor.value_or(c.tensor);
  c.fullest = fullest_device(shape, real(c.expert), scenario.training.expert_imbalance);
  c.microbatch = mapping.microbatch;
  c.zero_stage = mapping.zero_stage;
  c.zero_group = real(mapping.zero_group.value_or(0));
  c.sequence_parallel = mapping.sequence_parallel;
  c.recompute = mapping.recompute;
  c.attention = mapping.attention;
  c.modules = mapping.recompute_modules;
  c.recomputed_share = recomputed_share(mapping, shape);
  c.offload = mapping.offload_activations;
  c.offloaded = offloaded_share(mapping, shape);
  c.keep_all = schedule_rules(scenario.step.schedule).keeps_all;
  c.weights_apart = schedule_rules(scenario.step.schedule).weights_apart;
  c.spread_ends = scenario.assumptions.embedding_placement == EmbeddingPlacement::spread;
  c.adapter_rank = scenario.training.adapter_rank.value_or(0);
  c.bytes = number_bytes(scenario.precision, software);
  return c;
}

MemoryCase case_of(const MappingPlan& m, const Scenario& scenario, const ModelPlan& model,
                   const Software& software) {
  MemoryCase c = case_of(model.shape, scenario, software);
  c.tensor = m.tensor;
  c.pipeline = m.pipeline;
  c.last_stage_layers = m.last_stage_layers;
  c.data = m.data;
  c.context = m.context;
  c.expert = m.expert;
  c.expert_tensor = m.expert_tensor;
  c.fullest = fullest_device(model.shape, real(m.expert), scenario.training.expert_imbalance);
  c.virtual_stages = m.virtual_stages;
  c.microbatch = m.microbatch;
  c.microbatches = m.microbatches;
  c.both_ways = holds_two_stages(scenario.step.schedule, m.pipeline);
  return c;
}

MemoryTerms terms_of(const DeviceTerms& d) {
  MemoryTerms out;
  out.weights = d.weights + d.master;
  out.gradients = d.gradients;
  out.optimizer = d.optimizer;
  out.activations = d.activations;
  out.buffers = d.gathered + d.placeholders + d.temporaries + d.workspace;
  return out;
}

void take_fuller(MemoryTerms& fullest, const MemoryTerms& other) {
  if (other.total() > fullest.total()) fullest = other;
}

/// What a stage's device holds; where a pipeline runs both ways, the stage at the other end as well
/// (DeepSeek-AI 2024, table 2: two copies of the parameters).
MemoryTerms of_device(const DeviceMemory& memory, const MemoryCase& c, std::int64_t stage) {
  MemoryTerms out = terms_of(memory.of(stage));
  if (c.both_ways) out += terms_of(memory.of(c.pipeline - 1 - stage));
  return out;
}

/// All devices together hold each parameter once.
MemoryTerms model_states(double parameters, const PrecisionInput& precision) {
  const NumberBytes bytes = number_bytes(precision, Software{});
  MemoryTerms out;
  out.weights = Bytes(parameters * (bytes.weight + bytes.master));
  out.gradients = Bytes(parameters * bytes.gradient);
  out.optimizer = Bytes(parameters * bytes.optimizer);
  return out;
}

}  // namespace

double offloaded_share(const MappingInput& mapping, const ModelShape& shape) {
  return share_of_layers(mapping.offload_layers.value_or(0), shape);
}

double recomputed_share(const MappingInput& mapping, const ModelShape& shape) {
  return share_of_layers(mapping.recompute_layers.value_or(shape.blocks()), shape);
}

namespace {

/// One layer of the usual kind, of a microbatch's tokens on one device.
struct LayerTokens {
  LayerMemory layer;
  double tokens;
};

LayerTokens usual_layer(const ModelShape& shape, const Scenario& scenario, std::int64_t tensor,
                        Recompute recompute) {
  const Software software = software_of(scenario);
  MemoryCase c = case_of(shape, scenario, software);
  c.tensor = tensor;
  c.expert_tensor = scenario.mapping.expert_tensor.value_or(tensor);
  c.recompute = recompute;
  return {layer_memory(c, shape.experts > 0), real(c.microbatch) * real(shape.sequence) / real(c.context)};
}

}  // namespace

Bytes activation_bytes(const ModelShape& shape, const Scenario& scenario, std::int64_t tensor,
                       Recompute recompute) {
  const LayerTokens usual = usual_layer(shape, scenario, tensor, recompute);
  return Bytes(usual.tokens * usual.layer.kept);
}

Bytes recomputed_bytes(const ModelShape& shape, const Scenario& scenario, std::int64_t tensor) {
  const LayerTokens usual = usual_layer(shape, scenario, tensor, scenario.mapping.recompute);
  return Bytes(usual.tokens * usual.layer.recomputed);
}

MemoryTerms stage_memory(const MappingPlan& m, const Scenario& scenario, const ModelPlan& model,
                         std::int64_t stage) {
  const Software software = software_of(scenario);
  const MemoryCase c = case_of(m, scenario, model, software);
  const LayerMemories layers(c);
  return of_device(DeviceMemory(c, layers), c, stage);
}

Bytes logits_beside_buffers(const MappingPlan& m, const Scenario& scenario, const ModelPlan& model) {
  const Software software = software_of(scenario);
  if (software.buffers) return Bytes(0);
  const MemoryCase c = case_of(m, scenario, model, software);
  const LayerMemories layers(c);
  return DeviceMemory(c, layers).idealised_logits();
}

MemoryTables::MemoryTables(const Scenario& scenario, const ModelPlan& model)
    : scenario_(scenario),
      model_(model),
      software_(software_of(scenario)),
      device_memory_(accelerator_of(scenario).memory),
      model_memory_(model_states(model.parameters.total, scenario.precision)) {}

const LayerMemories& MemoryTables::layers_of(const MemoryCase& c) {
  return layers_.of({c.tensor, c.context, c.expert, c.expert_tensor, static_cast<std::int64_t>(c.recompute),
                     scenario_.mapping.recompute_layers.value_or(-1)},
                    [&] { return LayerMemories(c); });
}

void MemoryTables::plan(MappingPlan& m, const StageRanges& stages) {
  m.device_memory = device_memory_;
  m.model_memory = model_memory_;
  const MemoryCase c = case_of(m, scenario_, model_, software_);
  const LayerMemories& layers = layers_of(c);
  const LayerMemory& usual = model_.shape.experts > 0 ? layers.sparse : layers.dense;
  const double tokens = real(c.microbatch) * real(model_.shape.sequence) / real(c.context);
  m.activation_layer = Bytes(tokens * usual.kept);
  m.dense_activation_layer = Bytes(tokens * layers.dense.kept);
  const DeviceMemory memory(c, layers);
  m.in_flight = memory.in_flight(0) + (c.both_ways ? memory.in_flight(m.pipeline - 1) : 0);
  const double away = scenario_.mapping.offload_activations ? 1 : c.offloaded;
  m.host_activations = memory.kept(stages.front().layers) * (m.in_flight * away);
  m.device = c.both_ways ? of_device(memory, c, 0) : terms_of(memory.of(0, stages.front().layers));
  if (c.both_ways) {
    for (std::int64_t stage = 1; stage < (m.pipeline + 1) / 2; ++stage)
      take_fuller(m.device, of_device(memory, c, stage));
    return;
  }
  for (std::size_t i = 1; i < stages.size(); ++i) {
    // Of stages with the same layers the first keeps the most microbatches waiting.
    const bool last = stages[i].first + 1 == m.pipeline;
    if (!last && stages[i].layers == stages[i - 1].layers) continue;
    take_fuller(m.device, terms_of(memory.of(stages[i].first, stages[i].layers)));
  }
}

void plan_memory(MappingPlan& m, const Scenario& scenario, const ModelPlan& model) {
  MemoryTables(scenario, model).plan(m, stage_ranges(model.shape, stage_cut(m)));
}

double chance_of_room(const MappingPlan& m, const Interval& interval) {
  if (interval.high <= 1) return fits(m) ? 1 : 0;
  constexpr double kOf80 = 1.2815515655446004;  // standard deviations
  const double deviations = std::log(m.device_memory / m.device.total()) / std::log(interval.high) * kOf80;
  return std::erfc(-deviations / std::numbers::sqrt2) / 2;
}

bool may_fit(const MappingPlan& m, const Interval& interval) {
  constexpr double kNoChance = 0.05;
  return chance_of_room(m, interval) > kNoChance;
}

Interval memory_interval(const Scenario& scenario) {
  constexpr double kMeasured = 0.01;  // of 43 measured peaks, 80% lie within 0.85%
  constexpr double kOther = 0.15;     // of 46 peaks of torchtitan and Nanotron, 80% lie within 14.4%
  const Software software = software_of(scenario);
  if (!software.buffers) return {1, 1, "arithmetic: no training program, whose buffers would come on top"};
  // The measured peaks are of programs with Transformer Engine's placeholders.
  if (software.weight_gradient_placeholders) {
    return {1 - kMeasured, 1 + kMeasured, "measured peaks of Megatron Core on B200: four of five within 1%"};
  }
  return {1 - kOther, 1 + kOther,
          "reserved memory of torchtitan and Nanotron on H100: four of five within 15%"};
}

}  // namespace trainyard
