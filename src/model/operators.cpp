// FLOP and elements of every operator of a layer, for one sequence.
//
// A product of an (m x k) by a (k x n) matrix takes 2 m k n FLOP; its backward pass takes two such products.
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/model.h"
#include "model/recompute_modules.h"
#include "trainyard/scenario/assumptions.h"

namespace trainyard {
namespace {

using Module = RecomputeModule;

Operator matrix_product(std::string name, double rows, double inner, double columns,
                        ShardedDimension sharded = ShardedDimension::columns) {
  Operator op;
  op.name = std::move(name);
  op.matmul = true;
  op.shape = {.rows = rows, .inner = inner, .columns = columns, .sharded = sharded};
  op.forward_flop = 2 * rows * inner * columns;
  op.backward_flop = 2 * op.forward_flop;
  op.weight_elements = inner * columns;
  op.activation_elements = rows * (inner + columns);
  return op;
}

/// An operator that is bound by memory: so many elements read and written, and as many as `eager` where
/// PyTorch issues its steps one by one.
Operator elementwise(std::string name, double elements, double eager) {
  Operator op;
  op.name = std::move(name);
  op.activation_elements = elements;
  op.eager_elements = eager;
  return op;
}

Operator elementwise(std::string name, double elements) {
  return elementwise(std::move(name), elements, elements);
}

// Elements of 16 bits that the steps touch in PyTorch's eager mode, 32-bit ones as two, as the model's
// reference code writes them (meta-llama/llama, llama/model.py).
//
// RMSNorm: to 32 bits (1 + 2), square (2 + 2), mean (2), scale (2 + 2), to 16 bits (2 + 1), weight (1 + 1).
// LayerNorm is one kernel.
constexpr double kEagerRootMeanSquare = 18;
constexpr double kEagerLayerNorm = 2;
// Rotary positions, of queries and keys: to 32 bits (1 + 2), the complex product (2 + 2), to 16 bits (2 + 1).
constexpr double kEagerRotation = 10;
// A squared ReLU is two kernels: one element written and read more.
constexpr double kEagerSquare = 2;
// Of a gated activation the product with the gate is a kernel of its own: one element written and read more.
constexpr double kEagerGate = 2;
// An adapter's output is scaled (1 + 1) and added to its product's (2 + 1), which NeMo does not fuse
// (NVIDIA/NeMo v2.2.0, collections/nlp/modules/common/megatron/adapters/parallel_adapters.py). Backward it is
// scaled again, and the input's two gradients are summed: as many.
constexpr double kAdapterAdded = 5;

/// A product with the s x s attention matrix for each head: `shape` is one head's.
Operator attention_product(std::string name, const ProductShape& shape, double width, double causal_share) {
  const double s = shape.rows;
  Operator op;
  op.shape = shape;
  op.name = std::move(name);
  op.matmul = true;
  op.attention_matrix = true;
  op.by_head = true;
  op.modules = module_bits(Module::core_attention);
  op.forward_flop = 2 * s * s * width * causal_share;
  op.backward_flop = 2 * op.forward_flop;
  op.activation_elements = 2 * s * width;
  return op;
}

void add_projections(std::vector<Operator>& ops, const ModelShape& m, double s) {
  constexpr std::uint16_t kUp = module_bits(Module::mla_up_projection, Module::attention_projections);
  const double h = real(m.hidden);
  const double heads = real(m.heads);
  const auto add = [&](std::string name, double inner, double columns) -> Operator& {
    ops.push_back(matrix_product(std::move(name), s, inner, columns));
    ops.back().modules = module_bits(Module::attention_projections);
    return ops.back();
  };
  const auto add_up = [&](std::string name, double inner, double columns) {
    Operator& op = add(std::move(name), inner, columns);
    op.by_head = true;
    op.modules = kUp;
  };
  if (m.attention == AttentionKind::full) {
    const auto [query, key, value] = attention_widths(m);
    Operator& op = add("query, key, value", h, query + key + value);
    op.role = OperatorRole::query_key_value;
    op.by_head = true;
    return;
  }
  const double query_width = heads * real(m.nope_head_size + m.rope_head_size);
  const double q_rank = real(m.q_lora_rank);
  const double kv_rank = real(m.kv_lora_rank);
  if (q_rank > 0) add("query down", h, q_rank);
  add_up("query up", q_rank > 0 ? q_rank : h, query_width);
  add("key, value down", h, kv_rank + real(m.rope_head_size));
  add_up("key, value up", kv_rank, heads * real(m.nope_head_size + m.value_head_size));
}

/// Of what attention's kernel reads of a token.
struct HeadsWidths {
  double query;
  double key;
  double value;

  double all() const { return query + key + value; }
};

HeadsWidths heads_widths(const ModelShape& m) {
  const double heads = real(m.heads);
  if (m.attention == AttentionKind::latent) {
    const double size = real(m.nope_head_size + m.rope_head_size);
    return {heads * size, heads * size, heads * real(m.value_head_size)};
  }
  const AttentionWidths full = attention_widths(m);
  return {full.query, full.key, full.key};
}

/// Elements of a token that eager PyTorch touches for positions and biases.
double eager_positions(const ModelShape& m, const HeadsWidths& w) {
  if (m.attention == AttentionKind::latent)  // one key of positions serves all heads
    return 2 * w.all() + kEagerRotation * (real(m.heads) + 1) * real(m.rope_head_size);
  return kEagerRotation * (w.query + w.key);
}

double eager_norm(const ModelShape& m) {
  return m.norm == NormKind::rms ? kEagerRootMeanSquare : kEagerLayerNorm;
}

/// Norms over the heads of queries and keys.
void add_head_norms(std::vector<Operator>& ops, const ModelShape& m, double s) {
  if (!m.qk_norm || m.attention == AttentionKind::latent) return;
  const auto [query, key, value] = attention_widths(m);
  ops.push_back(elementwise("query and key norms", 2 * s * (query + key), eager_norm(m) * s * (query + key)));
  ops.back().role = OperatorRole::norms;
  ops.back().modules = module_bits(Module::attention_projections);
}

/// Rotary positions with what biases there are; learned ones are added to the embeddings, once.
void add_positions(std::vector<Operator>& ops, const ModelShape& m, double s, const HeadsWidths& widths) {
  const double qkv = widths.all();
  if (m.learned_positions > 0) {
    if (m.attention_bias == BiasTerms::none) return;
    ops.push_back(elementwise("biases", 2 * s * qkv));
    ops.back().role = OperatorRole::biases;
    ops.back().modules = module_bits(Module::attention_projections);
    return;
  }
  ops.push_back(elementwise("positions and biases", 2 * s * qkv, s * eager_positions(m, widths)));
  ops.back().modules = m.attention == AttentionKind::latent
                           ? module_bits(Module::mla_up_projection, Module::attention_projections)
                           : module_bits(Module::attention_projections);
}

void add_attention(std::vector<Operator>& ops, const ModelShape& m, CausalAttention causal) {
  const double s = real(m.sequence);
  const double heads = real(m.heads);
  const bool latent = m.attention == AttentionKind::latent;
  const double query_size = latent ? real(m.nope_head_size + m.rope_head_size) : real(m.head_size_or_even());
  const double value_size = latent ? real(m.value_head_size) : real(m.head_size_or_even());
  const double half = causal == CausalAttention::half ? 0.5 : 1.0;
  const double share = half * attended_work(m);
  add_projections(ops, m, s);
  add_head_norms(ops, m, s);
  add_positions(ops, m, s, heads_widths(m));
  const ProductShape scores = {s, query_size, s, heads, ShardedDimension::copies};
  const ProductShape values = {s, s, value_size, heads, ShardedDimension::copies};
  ops.push_back(attention_product("attention scores", scores, heads * query_size, share));
  ops.back().role = OperatorRole::attention_scores;
  Operator softmax = elementwise("softmax", 2 * heads * s * s * (half * attended_share(m)));
  softmax.attention_matrix = true;
  softmax.by_head = true;
  softmax.modules = module_bits(Module::core_attention);
  ops.push_back(std::move(softmax));
  ops.push_back(attention_product("attention values", values, heads * value_size, share));
  const double output = latent ? heads * value_size : attention_widths(m).query;
  ops.push_back(matrix_product("attention output", s, output, real(m.hidden), ShardedDimension::inner));
  ops.back().role = OperatorRole::attention_output;
  ops.back().modules = module_bits(Module::attention_output);
  ops.back().unread = m.parallel_block && !normalizes_outputs(m);
  ops.back().by_head = true;
}

/// What of a feed-forward layer is computed again together.
struct FeedForwardModules {
  std::uint16_t up;
  std::uint16_t activation;
  std::uint16_t down;
};

constexpr FeedForwardModules kDense = {module_bits(Module::mlp, Module::mlp_up),
                                       module_bits(Module::mlp, Module::mlp_up, Module::mlp_activation),
                                       module_bits(Module::mlp)};
constexpr FeedForwardModules kRouted = {
    module_bits(Module::moe), module_bits(Module::moe, Module::moe_activation), module_bits(Module::moe)};
constexpr FeedForwardModules kShared = {module_bits(Module::moe, Module::shared_experts),
                                        module_bits(Module::moe, Module::shared_experts),
                                        module_bits(Module::moe, Module::shared_experts)};

/// A feed-forward layer that `rows` tokens pass, holding the weights of `copies` experts.
void add_feed_forward(std::vector<Operator>& ops, const ModelShape& m, double rows, double inner,
                      double copies, const std::string& prefix, const FeedForwardModules& modules,
                      bool experts = false) {
  const double h = real(m.hidden);
  const double up = m.gated_ffn ? 2 * inner : inner;
  ops.push_back(matrix_product(prefix + " up", rows, h, up));
  ops.back().weight_elements *= copies;
  ops.back().role = OperatorRole::feed_forward_up;
  ops.back().experts = experts;
  ops.back().modules = modules.up;
  const bool squared = m.activation == Activation::squared_relu;
  const double more = (m.gated_ffn ? kEagerGate : 0) + (squared ? kEagerSquare : 0);
  ops.push_back(elementwise(prefix + " activation", rows * (up + inner), rows * (up + inner + more * inner)));
  if (squared) ops.back().role = OperatorRole::squared_relu;
  ops.back().modules = modules.activation;
  if (experts) ops.back().role = OperatorRole::expert_activation;
  ops.push_back(matrix_product(prefix + " down", rows, inner, h, ShardedDimension::inner));
  ops.back().weight_elements *= copies;
  ops.back().experts = experts;
  ops.back().modules = modules.down;
  // Routed experts' outputs are read by the router's gradient.
  ops.back().unread = !experts && !normalizes_outputs(m);
}

/// What Megatron Core does for experts in kernels of their own, in elements touched (core_v0.15.0): clamps of
/// both halves of a gated input and their concatenation, each read and written
/// (weighted_bias_quick_geglu_impl); and, expert by expert, the bias times the router's probability written,
/// the sum (two read, one written), all experts put together (one and one) (TEGroupedMLP::_apply_bias).
void add_expert_extras(std::vector<Operator>& ops, const ModelShape& m, double rows, double inner) {
  constexpr double kBiasTouches = 6;
  constexpr double kClampTouches = 4;
  if (m.ffn_bias) {
    ops.push_back(elementwise("expert biases", kBiasTouches * rows * real(m.hidden)));
    ops.back().role = OperatorRole::expert_extra;
    ops.back().modules = module_bits(Module::moe);
  }
  if (m.clamped_activation) {
    const double width = m.gated_ffn ? 2 * inner : inner;
    ops.push_back(elementwise("expert clamps", kClampTouches * rows * width));
    ops.back().role = OperatorRole::expert_extra;
    ops.back().modules = kRouted.activation;
  }
}

}  // namespace

namespace {

double log_choose(double of, double chosen) {
  return std::lgamma(of + 1) - std::lgamma(chosen + 1) - std::lgamma(of - chosen + 1);
}

/// Of places that hold several groups each: a place has j of the chosen groups by the hypergeometric
/// distribution, and none of the k experts with (1 - j / chosen)^k.
double places_with_groups(const ModelShape& m, double places) {
  const double groups = real(m.expert_groups);
  const double chosen = real(m.groups_per_token);
  const double held = std::round(groups / places);
  double hit = 0;
  for (double j = std::max(1.0, chosen - (groups - held)); j <= std::min(held, chosen); ++j) {
    const double likely =
        std::exp(log_choose(held, j) + log_choose(groups - held, chosen - j) - log_choose(groups, chosen));
    hit += likely * (1 - std::pow(1 - j / chosen, real(m.experts_per_token)));
  }
  return places * hit;
}

}  // namespace

double places_reached(const ModelShape& m, double places) {
  const auto drawn = [&](double of) { return of * (1 - std::pow(1 - 1 / of, real(m.experts_per_token))); };
  const double groups = real(m.expert_groups);
  const double chosen = real(m.groups_per_token);
  if (chosen >= groups) return drawn(places);
  return places >= groups ? drawn(places * chosen / groups) : places_with_groups(m, places);
}

bool of_experts(const Operator& op) {
  return op.experts || op.role == OperatorRole::expert_activation || op.role == OperatorRole::expert_extra;
}

double fullest_device(const ModelShape& m, double devices, double imbalance) {
  if (devices <= 1 || m.experts == 0) return 1;
  const double held = real(m.experts) / devices;
  const double chosen = real(m.experts_per_token);
  return std::min(imbalance, std::min(held, chosen) * devices / chosen);
}

bool normalizes_outputs(const ModelShape& m) {
  constexpr std::int64_t kOfInputs = 2;
  return m.norms_per_layer > kOfInputs;
}

namespace {

double causal_pairs(double tokens) { return tokens * (tokens + 1) / 2; }

/// Of a layer that has the window, over those of one that has none.
double pairs_in_window(const ModelShape& m) {
  const double s = real(m.sequence);
  const double w = real(m.window_in_force());
  if (w <= 0) return 1;
  const double chunks = std::floor(s / w);
  const double pairs = m.chunked_window ? chunks * causal_pairs(w) + causal_pairs(s - chunks * w)
                                        : causal_pairs(w) + (s - w) * w;
  return pairs / causal_pairs(s);
}

}  // namespace

double attended_share(const ModelShape& m) { return 1 - m.windowed_share() * (1 - pairs_in_window(m)); }

double attended_work(const ModelShape& m) {
  if (m.attention == AttentionKind::latent) return attended_share(m);
  const double global = real(m.global_head_or_same()) / real(m.head_size_or_even());
  return global - m.windowed_share() * (global - pairs_in_window(m));
}

AttentionWidths attention_widths(const ModelShape& m) {
  const double head = real(m.head_size_or_even());
  const double wide = real(m.global_head_or_same());
  const auto mean = [&](double windowed, double global) {
    return windowed == global ? global : global + m.windowed_share() * (windowed - global);
  };
  const double key = real(m.kv_heads_or_all()) * head;
  const double global_key = real(m.global_kv_or_same()) * wide;
  return {mean(real(m.heads) * head, real(m.heads) * wide), mean(key, global_key),
          mean(key, m.global_keys_are_values ? 0 : global_key)};
}

namespace {

/// Widths of the products that an operator stands for, in their order.
std::vector<double> product_widths(const Operator& op, const ModelShape& m) {
  if (op.role == OperatorRole::query_key_value) {
    const auto [query, key, value] = attention_widths(m);
    return {query, key, value};
  }
  if (op.role == OperatorRole::feed_forward_up && m.gated_ffn) return {1, 1};
  return {1};
}

/// torchtitan keeps what attention and every other product made, from the first on; grouped products and
/// the router's are all computed again (torchtitan, distributed/activation_checkpoint.py, option "op").
void mark_repeated(std::vector<Operator>& ops, const ModelShape& m) {
  bool kept = false;
  for (Operator& op : ops) {
    if (op.attention_matrix) op.repeated = 0;
    const bool counted = op.matmul && !op.attention_matrix && !op.experts && op.role != OperatorRole::routing;
    if (!counted) continue;
    double all = 0;
    double again = 0;
    for (const double width : product_widths(op, m)) {
      kept = !kept;
      all += width;
      if (!kept) again += width;
    }
    op.repeated = again / all;
  }
}

}  // namespace

std::vector<Operator> layer_operators(const ModelShape& m, bool with_experts, CausalAttention causal) {
  const double s = real(m.sequence);
  const double h = real(m.hidden);
  std::vector<Operator> ops;
  ops.push_back(elementwise("norms", real(m.norms_per_layer) * 2 * s * h,
                            real(m.norms_per_layer) * eager_norm(m) * s * h));
  ops.back().role = OperatorRole::norms;
  ops.back().sequence_sharded = true;
  ops.back().modules = module_bits(Module::layernorm);
  add_attention(ops, m, causal);
  if (!with_experts) {
    add_feed_forward(ops, m, s, real(m.ffn_or_fourfold()), 1, "feed-forward", kDense);
  } else {
    const double inner = real(m.expert_ffn_or_ffn());
    const double shared = real(m.shared_experts);
    ops.push_back(matrix_product("router", s, h, real(m.experts), ShardedDimension::nothing));
    ops.back().role = OperatorRole::routing;
    ops.back().modules = module_bits(Module::moe);
    ops.push_back(elementwise("routing", s * real(m.experts)));
    ops.back().role = OperatorRole::routing;
    ops.back().modules = module_bits(Module::moe);
    // Tokens are sorted by expert, copied for each, and summed again.
    ops.push_back(elementwise("expert permutation", 2 * s * h * (1 + real(m.experts_per_token))));
    ops.back().role = OperatorRole::permutation;
    ops.back().modules = module_bits(Module::moe);
    add_feed_forward(ops, m, s * real(m.experts_per_token), inner, real(m.experts), "experts", kRouted, true);
    add_expert_extras(ops, m, s * real(m.experts_per_token), inner);
    for (Operator& op : ops) {
      if (op.experts) op.shape.copies = real(m.experts);
      if (op.experts) op.shape.rows /= real(m.experts);
    }
    if (shared > 0)
      add_feed_forward(ops, m, s * shared, real(m.shared_ffn_or_expert()), shared, "shared experts", kShared);
  }
  const double residual_adds = m.parallel_block ? 1 : 2;
  const double elements_per_add = 3;  // two read, one written
  ops.push_back(elementwise("residual adds", residual_adds * elements_per_add * s * h));
  ops.back().sequence_sharded = true;
  mark_repeated(ops, m);
  return ops;
}

namespace {

void add_output(std::vector<Operator>& ops, const ModelShape& m, const std::string& prefix) {
  const double s = real(m.sequence);
  ops.push_back(matrix_product(prefix + "output matrix", s, real(m.hidden), real(m.vocabulary)));
  // A compiler caps logits where it reads them; PyTorch divides, takes the tangent and multiplies.
  constexpr double kEagerCap = 6;
  if (m.capped_logits)
    ops.push_back(elementwise(prefix + "logit cap", 0, kEagerCap * s * real(m.vocabulary)));
  ops.push_back(elementwise(prefix + "cross entropy", 2 * s * real(m.vocabulary)));
  ops.back().role = OperatorRole::cross_entropy;
}

/// Around the layer of a module of multi-token prediction: embeddings looked up again, three norms,
/// embeddings and hidden states put side by side (two read, two written), their projection, the model's
/// output matrix (DeepSeek-V3 report 2024, section 2.2).
void add_module_ends(std::vector<Operator>& ops, const ModelShape& m) {
  const std::string prefix = "multi-token ";
  constexpr double kLookUp = 2;
  constexpr double kSideBySide = 4;
  constexpr double kNorms = 3;
  const double s = real(m.sequence);
  const double h = real(m.hidden);
  ops.push_back(elementwise(prefix + "embeddings and norms", (kLookUp + kSideBySide + 2 * kNorms) * s * h,
                            (kLookUp + kSideBySide + eager_norm(m) * kNorms) * s * h));
  ops.push_back(matrix_product(prefix + "projection", s, 2 * h, h));
  add_output(ops, m, prefix);
}

}  // namespace

std::vector<Operator> head_operators(const ModelShape& m) {
  std::vector<Operator> ops = {elementwise("embedding look-up", 2 * real(m.sequence) * real(m.hidden))};
  ops.back().role = OperatorRole::embedding;
  add_output(ops, m, "");
  for (std::int64_t module = 0; module < m.mtp_layers; ++module) add_module_ends(ops, m);
  return ops;
}

namespace {

Flop forward_flop(const std::vector<Operator>& ops) {
  double sum = 0;
  for (const Operator& op : ops) sum += op.forward_flop;
  return Flop(sum);
}

}  // namespace

void add_adapters(std::vector<Operator>& ops, std::int64_t rank) {
  std::vector<Operator> adapters;
  for (Operator& op : ops) {
    if (!op.matmul || op.attention_matrix) continue;
    op.frozen = true;
    if (op.role != OperatorRole::query_key_value && op.role != OperatorRole::attention_output) continue;
    const std::string name = "adapter " + op.name;
    const ProductShape& s = op.shape;
    const bool by_inner = s.sharded == ShardedDimension::inner;
    adapters.push_back(matrix_product(name + ", down", s.rows, s.inner, real(rank),
                                      by_inner ? ShardedDimension::inner : ShardedDimension::nothing));
    adapters.push_back(matrix_product(name + ", up", s.rows, real(rank), s.columns,
                                      by_inner ? ShardedDimension::nothing : ShardedDimension::columns));
    adapters.push_back(elementwise(name + ", added", kAdapterAdded * s.rows * s.columns));
  }
  for (Operator& adapter : adapters) adapter.adapter = true;
  ops.insert(ops.end(), adapters.begin(), adapters.end());
}

Flop training_flop(const ModelShape& m, bool frozen) {
  const double passes = frozen ? 2 : 3;  // forward once, backward for inputs and for weights
  const double dense = real(m.experts > 0 ? m.dense_before(m.blocks()) : m.blocks());
  Flop forward = forward_flop(head_operators(m));
  if (dense > 0) forward += dense * forward_flop(layer_operators(m, false, CausalAttention::full));
  if (m.experts > 0) {
    forward += (real(m.blocks()) - dense) * forward_flop(layer_operators(m, true, CausalAttention::full));
  }
  return passes * forward;
}

ModelPlan plan_model(const ModelInput& model, const TrainingInput& training, CausalAttention causal) {
  ModelPlan plan;
  plan.shape = resolve_shape(model);
  plan.parameters = count_parameters(plan.shape);
  plan.operators = layer_operators(plan.shape, plan.shape.experts > 0, causal);
  if (plan.shape.experts > 0 && plan.shape.dense_before(plan.shape.layers) > 0)
    plan.dense_operators = layer_operators(plan.shape, false, causal);
  plan.head_operators = head_operators(plan.shape);
  const bool frozen = training.adapter_rank.has_value();
  if (frozen) {
    add_adapters(plan.operators, *training.adapter_rank);
    add_adapters(plan.dense_operators, *training.adapter_rank);
    for (Operator& op : plan.head_operators) op.frozen = true;
  }
  plan.layer_forward = forward_flop(plan.operators);
  plan.layer_backward = 2 * plan.layer_forward;
  plan.sequence_training = training_flop(plan.shape, frozen);
  const DepthWidth law = depth_to_width(plan.parameters.one_expert);
  plan.law_depth = law.depth;
  plan.law_width = law.width;
  return plan;
}

}  // namespace trainyard
