#include <fmt/core.h>

#include "catalog/catalog.h"
#include "catalog/choices.h"
#include "catalog/entry_fields.h"

namespace trainyard {
namespace {

constexpr double kLargestCount = 1e9;

}  // namespace

const FieldTable<ModelShape>& model_fields() {
  using M = ModelShape;
  const Range count = between(1, kLargestCount);
  const Range count_or_none = between(0, kLargestCount);
  static const FieldTable<M> table = with_entry_fields<M>({
      field("layers", &M::layers, between(1, 100000), "Transformer layers.").required(),
      field("hidden", &M::hidden, between(1, 1e7), "Width of the residual stream.").required(),
      field("heads", &M::heads, between(1, 1e6), "Attention (query) heads.").required(),
      field("kv_heads", &M::kv_heads, between(1, 1e6), "Key and value heads (grouped-query attention).")
          .otherwise("as many as heads"),
      field("head_size", &M::head_size, between(1, 1e6), "Width of one head.").otherwise("hidden / heads"),
      field("ffn", &M::ffn, count, "Inner width of the feed-forward layer.").otherwise("4 x hidden"),
      field("gated_ffn", &M::gated_ffn, "Gated feed-forward layer (SwiGLU, GeGLU): three matrices."),
      field(
          "activation", &M::activation,
          "Activation function of the feed-forward layer; a squared ReLU costs what the program makes of it.")
          .otherwise("gelu; with gated_ffn swiglu"),
      field("vocabulary", &M::vocabulary, between(1, 1e8), "Tokens of the embedding matrix.").required(),
      field("learned_positions", &M::learned_positions, count_or_none,
            "Learned position embeddings; 0 for none."),
      field("sequence", &M::sequence, between(1, 1e8), "Sequence length of training, in tokens.").required(),
      field("tied_embeddings", &M::tied_embeddings, "The output matrix is the embedding matrix."),
      field("attention_bias", &M::attention_bias, "Bias vectors of attention."),
      field("ffn_bias", &M::ffn_bias, "Bias vectors of the feed-forward layer."),
      field("clamped_activation", &M::clamped_activation,
            "Inputs of the experts' activation function are clamped first (gpt-oss)."),
      field("norm", &M::norm, "Kind of normalisation."),
      field("norms_per_layer", &M::norms_per_layer, between(0, 16), "Normalisations of a layer."),
      field("final_norm", &M::final_norm, "A normalisation before the output matrix."),
      field("qk_norm", &M::qk_norm, "Queries and keys pass norms of their own, over each head (Qwen3)."),
      field("capped_logits", &M::capped_logits, "Logits are capped by a hyperbolic tangent (Gemma 2)."),
      field("parallel_block", &M::parallel_block, "Attention and feed-forward side by side (PaLM, GPT-J)."),
      field("dropout", &M::dropout,
            "Dropout during training: its masks take memory, and random numbers attention's time."),
      field("experts", &M::experts, between(0, 1e6), "Routed experts of a layer; 0: dense."),
      field("experts_per_token", &M::experts_per_token, between(0, 1e6),
            "Experts that a token is routed to."),
      field("expert_groups", &M::expert_groups, between(1, 1e6),
            "Equal groups of consecutive experts (group-limited routing); 1: none."),
      field("groups_per_token", &M::groups_per_token, between(1, 1e6),
            "Groups of experts that a token's experts lie in at most."),
      field("expert_ffn", &M::expert_ffn, count, "Inner width of one expert.").otherwise("as ffn"),
      field("shared_experts", &M::shared_experts, between(0, 1e6), "Experts that every token passes."),
      field("shared_expert_ffn", &M::shared_expert_ffn, count, "Inner width of one shared expert.")
          .otherwise("as expert_ffn"),
      field("dense_layers", &M::dense_layers, between(0, 100000), "First layers without experts."),
      field("expert_interval", &M::expert_interval, between(1, 1000),
            "Of so many layers behind the dense ones the last has experts; 1: each."),
      field("mtp_layers", &M::mtp_layers, between(0, 1000),
            "Modules of multi-token prediction, each a layer of the usual kind, a projection and the output "
            "matrix once more, on the last stage; 0 for none."),
      field("router_bias", &M::router_bias, "A bias per expert in the router."),
      field("attention", &M::attention, "Kind of attention."),
      field("q_lora_rank", &M::q_lora_rank, count_or_none,
            "Rank of the query's compression (latent attention)."),
      field("kv_lora_rank", &M::kv_lora_rank, count_or_none, "Rank of the key and value compression."),
      field("attention_window", &M::attention_window, count_or_none,
            "Tokens that a token attends to, with itself (sliding windows); 0: all before it."),
      field("windowed_layers", &M::windowed_layers, between(0, 1),
            "Share of the layers that have the window."),
      field("chunked_window", &M::chunked_window,
            "The window does not slide: it begins anew after so many tokens (Llama 4)."),
      field("global_head_size", &M::global_head_size, between(1, 1e6),
            "Width of one head in layers without the window.")
          .otherwise("as head_size"),
      field("global_kv_heads", &M::global_kv_heads, between(1, 1e6),
            "Key and value heads in layers without the window.")
          .otherwise("as kv_heads"),
      field("global_keys_are_values", &M::global_keys_are_values,
            "Layers without the window project keys alone, which are the values, too (Gemma 4)."),
      field("rope_head_size", &M::rope_head_size, count_or_none,
            "Width of a head that carries rotary positions."),
      field("nope_head_size", &M::nope_head_size, count_or_none, "Width of a head without positions."),
      field("value_head_size", &M::value_head_size, count_or_none, "Width of a value head."),
      field("training_tokens", &M::training_tokens, positive(), "Tokens that it was trained on."),
      field("batch_tokens", &M::batch_tokens, positive(), "Tokens of a training batch."),
      field("published_parameters", &M::published_parameters, positive(), "Parameter count as published."),
      field("published_active_parameters", &M::published_active_parameters, positive(),
            "Parameters that one token passes, as published."),
      field("parameters_tolerance_pct", &M::parameters_tolerance_pct, between(0, 100),
            "How far the exact count may be from the published, rounded one."),
  });
  return table;
}

namespace {

/// Of group-limited routing.
void check_groups(const ModelShape& shape, const auto& complain) {
  const std::int64_t groups = shape.expert_groups;
  if (groups == 1 && shape.groups_per_token == 1) return;
  if (shape.experts == 0 || shape.experts % groups != 0)
    return complain(fmt::format("expert_groups = {} does not divide experts = {}", groups, shape.experts),
                    "expert_groups = 1 and groups_per_token = 1 route among all experts");
  if (shape.groups_per_token > groups)
    return complain(
        fmt::format("groups_per_token = {} of expert_groups = {}", shape.groups_per_token, groups),
        fmt::format("allowed: 1 to {}", groups));
  const std::int64_t reachable = shape.groups_per_token * (shape.experts / groups);
  if (shape.experts_per_token > reachable)
    complain(fmt::format("experts_per_token = {} in groups_per_token = {}, which hold {}",
                         shape.experts_per_token, shape.groups_per_token, reachable),
             "give more groups_per_token, or fewer expert_groups");
}

/// Of settings that say something of others which are not there.
void check_kinds(const ModelShape& shape, const auto& complain) {
  if (shape.experts == 0 && shape.expert_interval > 1)
    complain("expert_interval without experts", "give experts");
  if (shape.experts > 0 && shape.expert_interval > 1 &&
      shape.expert_interval > shape.layers - std::min(shape.dense_layers, shape.layers))
    complain(fmt::format("expert_interval = {} of layers = {} leaves no layer with experts",
                         shape.expert_interval, shape.layers),
             "");
  if (shape.shared_expert_ffn && shape.shared_experts == 0)
    complain("shared_expert_ffn without shared_experts", "give shared_experts");
  if (shape.chunked_window && shape.attention_window == 0)
    complain("chunked_window without attention_window", "give attention_window");
  const bool global = shape.global_head_size || shape.global_kv_heads || shape.global_keys_are_values;
  if (global && (shape.attention_window == 0 || shape.windowed_layers >= 1))
    complain("global_head_size, global_kv_heads or global_keys_are_values without layers of two kinds",
             "give attention_window and windowed_layers below 1");
}

}  // namespace

void check_shape(const ModelShape& shape, const Location& where, const std::string& path,
                 Findings& findings) {
  const auto complain = [&](std::string message, std::string help) {
    findings.add(where, path + ": " + message, help);
  };
  const std::int64_t heads = shape.heads;
  const std::int64_t kv_heads = shape.kv_heads_or_all();
  if (heads <= 0 || shape.hidden <= 0 || shape.layers <= 0) return;  // reported as missing or out of range
  if (!shape.head_size && shape.attention == AttentionKind::full && shape.hidden % heads != 0) {
    complain(fmt::format("hidden = {} is not a multiple of heads = {}", shape.hidden, heads),
             "give head_size");
  }
  if (kv_heads > heads || heads % kv_heads != 0) {
    complain(fmt::format("kv_heads = {} does not divide heads = {}", kv_heads, heads), "");
  }
  if (heads % shape.global_kv_or_same() != 0)
    complain(fmt::format("global_kv_heads = {} does not divide heads = {}", shape.global_kv_or_same(), heads),
             "");
  if (shape.experts == 0 && (shape.experts_per_token > 0 || shape.shared_experts > 0)) {
    complain("experts_per_token or shared_experts without experts", "give experts");
  }
  if (shape.experts > 0 && (shape.experts_per_token < 1 || shape.experts_per_token > shape.experts)) {
    complain(fmt::format("experts_per_token = {} of experts = {}", shape.experts_per_token, shape.experts),
             fmt::format("allowed: 1 to {}", shape.experts));
  }
  check_groups(shape, complain);
  const bool halves = shape.activation == Activation::swiglu || shape.activation == Activation::geglu;
  if (halves && !shape.gated_ffn)
    complain(fmt::format("activation = {} without gated_ffn", choice_name(*shape.activation)),
             "gated_ffn = true gives the feed-forward layer its third matrix");
  check_kinds(shape, complain);
  if (shape.dense_layers > shape.layers) complain("dense_layers is more than layers", "");
  if (shape.attention == AttentionKind::latent &&
      (shape.kv_lora_rank < 1 || shape.nope_head_size < 1 || shape.value_head_size < 1)) {
    complain("latent attention needs kv_lora_rank, nope_head_size and value_head_size", "");
  }
}

}  // namespace trainyard
