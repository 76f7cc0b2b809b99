// The names of the enumerations of a mapping.
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

template <>
struct Choices<Placement> {
  static constexpr Choice<Placement> kAll[] = {
      {Placement::same_layer, "same_layer", "an HB domain holds replicas of one pipeline stage"},
      {Placement::consecutive_layers, "consecutive_layers",
       "an HB domain holds consecutive stages of one replica"}};
};

template <>
struct Choices<Fp8Scaling> {
  static constexpr Choice<Fp8Scaling> kAll[] = {
      {Fp8Scaling::tensor, "tensor", "one scale a matrix, delayed or current"},
      {Fp8Scaling::block, "block",
       "a scale for 128 elements of inputs, for 128 x 128 of weights (DeepSeek-V3)"},
      {Fp8Scaling::mx, "mx", "a scale for 32 elements (OCP MXFP8)"}};
};

template <>
struct Choices<Recompute> {
  static constexpr Choice<Recompute> kAll[] = {
      {Recompute::none, "none", "every activation is kept"},
      {Recompute::selective, "selective", "the attention matrix is computed again in the backward pass"},
      {Recompute::full, "full", "only the input of a layer is kept"}};
};

template <>
struct Choices<RecomputeModule> {
  using M = RecomputeModule;
  static constexpr Choice<M> kAll[] = {
      {M::core_attention, "core_attn", "the attention kernel"},
      {M::attention_projections, "qkv_proj", "the products that make queries, keys and values"},
      {M::attention_output, "out_proj", "the product behind the attention kernel"},
      {M::layernorm, "layernorm", "the norms before attention and feed-forward layer"},
      {M::mla_up_projection, "mla_up_proj", "queries, keys and values of latent attention, from their ranks"},
      {M::mlp, "mlp", "dense feed-forward layers, whole"},
      {M::mlp_up, "mlp_up", "of these, all but the last product"},
      {M::mlp_activation, "mlp_act", "of these, the activation function"},
      {M::moe, "moe", "experts with their router and all-to-alls"},
      {M::moe_activation, "moe_act", "of experts, the activation function"},
      {M::shared_experts, "shared_experts", "shared experts"}};
};

template <>
struct Choices<MappingGoal> {
  static constexpr Choice<MappingGoal> kAll[] = {
      {MappingGoal::fastest, "fastest", "of the mappings that fit, the one with the most tokens a second"},
      {MappingGoal::smallest_tensor, "smallest_tensor",
       "of the mappings that fit, the smallest tensor-parallel group"}};
};

template <>
struct Choices<Attention> {
  static constexpr Choice<Attention> kAll[] = {
      {Attention::flash, "flash", "the attention matrix stays on chip"},
      {Attention::stored, "stored", "the attention matrix is written to memory"}};
};

}  // namespace trainyard
