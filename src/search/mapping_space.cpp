#include "search/mapping_space.h"

#include <algorithm>

#include "base/divisors.h"
#include "parallel/batch.h"
#include "scenario/in_force.h"
#include "scenario/stage_deal.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

using Counts = std::vector<std::int64_t>;

Counts powers_of_two(std::int64_t most) {
  Counts out;
  for (std::int64_t n = 1; n <= most; n *= 2) out.push_back(n);
  return out;
}

/// A group larger than the key-value heads holds copies of them.
bool divides_heads(const ModelShape& shape, std::int64_t tensor) {
  const auto divides = [&](std::int64_t kv) { return kv % tensor == 0 || tensor % kv == 0; };
  return shape.heads % tensor == 0 && divides(shape.kv_heads_or_all()) && divides(shape.global_kv_or_same());
}

bool divides_feed_forward(const ModelShape& shape, std::int64_t tensor) {
  if (shape.experts > 0 && shape.expert_ffn_or_ffn() % tensor != 0) return false;
  return shape.ffn_or_fourfold() % tensor == 0;
}

Counts tensor_sizes(const Scenario& scenario, const FacilityPlan& facility, const ModelShape& shape,
                    SpaceWidth width, const Software& offered) {
  if (scenario.mapping.tensor) return {*scenario.mapping.tensor};
  if (!offered.tensor_parallel) return {1};
  const bool uneven = scenario.assumptions.uneven_shards == UnevenShards::ideal;
  Counts out = divisors(width != SpaceWidth::wide || uneven ? facility.domain_devices : shape.heads);
  std::erase_if(out, [&](std::int64_t t) {
    if (t > shape.heads || t > facility.domain_devices) return true;
    return !uneven && !(divides_heads(shape, t) && divides_feed_forward(shape, t));
  });
  return out;
}

bool keeps_for_last(const ModelShape& shape, std::int64_t stages, std::int64_t layers) {
  return stages > 1 && layers <= most_of_last(shape, stages);
}

/// Of the counts that give the fullest stage the same number of layers, the smallest wastes least. Usual ones
/// waste no more than embedding and output, which the first and the last stage hold in place of a layer.
Counts pipeline_sizes(const Scenario& scenario, const ModelShape& shape, SpaceWidth width,
                      const Software& offered) {
  constexpr std::int64_t kEnds = 2;
  const MappingInput& input = scenario.mapping;
  if (input.pipeline) return {*input.pipeline};
  if (!offered.pipeline_parallel) return {1};
  const bool any = width == SpaceWidth::wide || scenario.assumptions.uneven_shards == UnevenShards::ideal;
  Counts out;
  const std::int64_t layers = shape.blocks();
  std::int64_t fewest = layers + 1;
  for (std::int64_t p = 1; p <= layers; ++p) {
    const std::int64_t each = layers_of_stage(shape, {p, input.last_stage_layers.value_or(0)});
    if (each >= fewest || (input.last_stage_layers && !keeps_for_last(shape, p, *input.last_stage_layers)))
      continue;
    fewest = each;
    const std::int64_t room = (p - 1) * each + input.last_stage_layers.value_or(each);
    const bool even = any || room - layers <= kEnds + shape.mtp_layers;
    const bool chunks = p == 1 || input.open.virtual_stages || each % input.virtual_stages == 0;
    if (even && chunks) out.push_back(p);
  }
  // More than any other stage would hold: as many as fit are kept, and the plan says so.
  if (out.empty() && input.last_stage_layers) out.push_back(std::min<std::int64_t>(2, layers));
  return out;
}

Counts context_sizes(const MappingInput& input, const FacilityPlan& facility, const ModelShape& shape,
                     const Software& offered) {
  constexpr std::int64_t kShortestPiece =
      1024;  // that was measured (MLPerf Training, LoRA on 512 devices and more)
  if (!input.open.context) return {input.context};
  if (!offered.context_parallel) return {1};
  Counts out = powers_of_two(std::min(facility.domain_devices, shape.sequence / kShortestPiece));
  std::erase_if(out, [&](std::int64_t c) { return shape.sequence % c != 0; });
  return out.empty() ? Counts{1} : out;
}

std::vector<Recompute> recomputations(const MappingInput& input, const Software& offered) {
  if (!input.open.recompute) return {input.recompute};
  if (!offered.selective_recompute) return {Recompute::none, Recompute::full};
  return {Recompute::none, Recompute::selective, Recompute::full};
}

/// Where no usual cut fits, a program is taken to offer everything.
Software offers(const Scenario& scenario, SpaceWidth width) {
  return width == SpaceWidth::wide ? Software{} : software_of(scenario);
}

/// Where the batch is not fixed, larger microbatches would make it larger, and so no comparison.
Counts microbatch_sizes(const Scenario& scenario, const ModelShape& shape) {
  constexpr double kLargest = 64;
  if (!scenario.mapping.open.microbatch) return {scenario.mapping.microbatch};
  const auto tokens = wanted_batch(scenario.mapping, scenario.training, shape);
  if (!tokens) return {1};
  const double sequences = std::clamp(*tokens / static_cast<double>(shape.sequence), 1.0, kLargest);
  return powers_of_two(static_cast<std::int64_t>(sequences));
}

}  // namespace

MappingSpace::MappingSpace(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                           SpaceWidth width)
    : MappingSpace(scenario, facility, model, width, offers(scenario, width)) {}

MappingSpace::MappingSpace(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                           SpaceWidth width, const Software& offered)
    : input_(scenario.mapping),
      width_(width),
      shape_(model.shape),
      calibrated_(scenario.assumptions.compute_model == ComputeModel::calibrated),
      most_zero_stage_(offered.zero_stage),
      tensors_(tensor_sizes(scenario, facility, model.shape, width, offered)),
      pipelines_(pipeline_sizes(scenario, model.shape, width, offered)),
      contexts_(context_sizes(input_, facility, model.shape, offered)),
      experts_(input_.open.expert && model.shape.experts > 0 ? divisors(model.shape.experts)
                                                             : Counts{input_.expert}),
      microbatches_(microbatch_sizes(scenario, model.shape)),
      recomputes_(recomputations(input_, offered)),
      by_layer_(input_.open.recompute && !input_.recompute_layers && input_.recompute_modules.empty() &&
                offered.recompute_by_layer && calibrated_) {}

std::vector<std::optional<std::int64_t>> MappingSpace::expert_tensors(std::int64_t tensor) const {
  const bool chosen = input_.open.expert && !input_.expert_tensor && calibrated_;
  if (!chosen || shape_.experts == 0 || tensor == 1) return {input_.expert_tensor};
  return {std::nullopt, 1};
}

std::vector<std::int64_t> MappingSpace::virtual_stages(std::int64_t pipeline) const {
  if (!input_.open.virtual_stages) return {input_.virtual_stages};
  return pipeline == 1 ? Counts{1}
                       : divisors(layers_of_stage(shape_, {pipeline, input_.last_stage_layers.value_or(0)}));
}

std::vector<std::int64_t> MappingSpace::zero_stages(std::int64_t pipeline) const {
  if (!input_.open.zero_stage) return {input_.zero_stage};
  Counts out = pipeline == 1 && width_ != SpaceWidth::usual ? Counts{1, 2, 3} : Counts{1, 2};
  std::erase_if(out, [this](std::int64_t stage) { return stage > most_zero_stage_; });
  return out.empty() ? Counts{0} : out;
}

}  // namespace trainyard
