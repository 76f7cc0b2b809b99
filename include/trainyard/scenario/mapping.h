// [mapping] and [precision]: how the model is cut over the devices, and the number formats.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/catalog_records.h"

namespace trainyard {

/// Where the pipeline's stages go in HB domains.
enum class Placement { same_layer, consecutive_layers };
enum class Recompute { none, selective, full };
/// Parts of a layer of which the backward pass computes again what they keep, as Megatron Core's
/// --recompute-modules, and four that XLA's policies select.
enum class RecomputeModule : std::uint8_t {
  core_attention,
  attention_projections,
  attention_output,
  layernorm,
  mla_up_projection,
  mlp,
  mlp_up,
  mlp_activation,
  moe,
  moe_activation,
  shared_experts
};
enum class MappingGoal { fastest, smallest_tensor };
enum class Attention { flash, stored };

/// Settings of [mapping] that the program chooses: the record holds what it chose. A scenario file opens all
/// that it does not mention.
struct MappingOpen {
  bool context = false;
  bool expert = false;
  bool virtual_stages = false;
  bool microbatch = false;
  bool zero_stage = false;
  bool recompute = false;

  static constexpr MappingOpen all() { return {true, true, true, true, true, true}; }
  bool any() const { return *this != MappingOpen{}; }
  friend bool operator==(const MappingOpen&, const MappingOpen&) = default;
};

/// [mapping]: how the model is cut over the devices. What is absent is chosen by the program.
struct MappingInput {
  std::optional<std::int64_t> tensor;
  std::optional<std::int64_t> pipeline;
  std::optional<std::int64_t> data;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::optional<std::int64_t> expert_tensor;  // empty: as tensor
  std::int64_t virtual_stages = 1;
  std::optional<std::int64_t> last_stage_layers;  // empty: as the others, or as the program deals
  std::int64_t microbatch = 1;
  std::optional<std::int64_t> microbatches;
  std::int64_t zero_stage = 1;
  std::optional<std::int64_t> zero_group;  // replicas over which ZeRO divides; empty: all
  bool sequence_parallel = true;
  Recompute recompute = Recompute::selective;
  std::optional<std::int64_t> recompute_layers;  // of the model's; empty: all
  std::vector<RecomputeModule> recompute_modules;
  Attention attention = Attention::flash;
  bool offload_activations = false;
  std::optional<std::int64_t> offload_layers;  // of the model's, whose activations go to the host
  Placement placement = Placement::same_layer;
  bool placement_absent = false;  // the file does not mention it
  MappingGoal goal = MappingGoal::fastest;
  MappingOpen open;
  MappingOpen absent;  // of the open ones, those that the file does not mention
};

/// How much of a matrix of 8 bits shares a scale.
enum class Fp8Scaling { tensor, block, mx };

/// [precision]: the number format of every term of memory and traffic.
struct PrecisionInput {
  Precision compute = Precision::bf16;
  Fp8Scaling scaling = Fp8Scaling::tensor;  // of products in fp8
  Precision weights = Precision::bf16;
  Precision master = Precision::fp32;
  bool master_copy = true;
  Precision gradients = Precision::fp32;
  Precision optimizer = Precision::fp32;
  std::int64_t optimizer_states = 2;
  Precision activations = Precision::bf16;
  Precision communication = Precision::bf16;
  std::optional<Precision> gradient_exchange;  // empty: the training program's
  std::optional<Precision> combine;            // what experts send back; empty: as communication
  std::optional<Precision> activation_input;   // kept inputs of activation functions; empty: as activations
};

}  // namespace trainyard
