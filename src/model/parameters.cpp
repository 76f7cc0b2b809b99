// Exact parameter counts, term by term.
#include "model/model.h"

namespace trainyard {
namespace {

double norm_vector(const ModelShape& s) {
  return s.norm == NormKind::layer ? 2 * real(s.hidden) : real(s.hidden);
}

/// Of a head, in the mean of layers with and without the window.
double head_width(const ModelShape& s) { return attention_widths(s).query / real(s.heads); }

/// Query, key, value and output matrices of multi-head, multi-query or grouped-query attention, with their
/// biases and norms.
double full_attention(const ModelShape& s) {
  const double h = real(s.hidden);
  const auto [query, key, value] = attention_widths(s);
  double more = 0;
  if (s.attention_bias != BiasTerms::none) more += query + key + value;
  if (s.attention_bias == BiasTerms::all) more += h;
  if (s.qk_norm) more += 2 * head_width(s);
  return h * (query + key + value) + query * h + more;
}

/// Multi-head latent attention (DeepSeek-V2, section 2.1): low-rank query and key-value paths, each with an
/// RMSNorm.
double latent_attention(const ModelShape& s) {
  const double h = real(s.hidden);
  const double heads = real(s.heads);
  const double query_width = heads * real(s.nope_head_size + s.rope_head_size);
  const double q_rank = real(s.q_lora_rank);
  const double kv_rank = real(s.kv_lora_rank);
  const double query = q_rank > 0 ? h * q_rank + q_rank + q_rank * query_width : h * query_width;
  const double down = h * (kv_rank + real(s.rope_head_size)) + kv_rank;
  const double up = kv_rank * heads * real(s.nope_head_size + s.value_head_size);
  const double output = heads * real(s.value_head_size) * h;
  return query + down + up + output;
}

double feed_forward(const ModelShape& s, std::int64_t inner) {
  const double h = real(s.hidden);
  const double f = real(inner);
  const double matrices = s.gated_ffn ? 3 : 2;
  const double biases = s.ffn_bias ? (matrices - 1) * f + h : 0;
  return matrices * h * f + biases;
}

/// A module of multi-token prediction: two norms, the projection of hidden states beside embeddings, a layer,
/// a norm; embedding and output matrix are the model's own (DeepSeek-V3 report 2024, section 2.2, equations
/// 21 to 23).
void add_modules(ParameterCount& p, const ModelShape& s) {
  if (s.mtp_layers == 0) return;
  const double h = real(s.hidden);
  const double around = 2 * h * h + 3 * norm_vector(s);
  const double modules = real(s.mtp_layers);
  const double common = p.attention + p.norms;
  const double one_expert = s.experts > 0 ? common + feed_forward(s, s.expert_ffn_or_ffn()) : p.layer;
  p.mtp = modules * (around + p.layer);
  p.total += p.mtp;
  p.active += modules * (around + p.layer_active);
  p.one_expert += modules * (around + one_expert);
}

/// Without multi-token prediction.
ParameterCount count_main(const ModelShape& s) {
  const double h = real(s.hidden);
  ParameterCount p;
  p.embedding = real(s.vocabulary) * h + real(s.learned_positions) * h;
  p.output = s.tied_embeddings ? 0 : real(s.vocabulary) * h;
  p.attention = s.attention == AttentionKind::latent ? latent_attention(s) : full_attention(s);
  p.ffn = feed_forward(s, s.ffn_or_fourfold());
  p.norms = real(s.norms_per_layer) * norm_vector(s);
  p.final_norm = s.final_norm ? norm_vector(s) : 0;
  const double common = p.attention + p.norms;
  const double ends = p.embedding + p.output + p.final_norm;
  if (s.experts == 0) {
    p.layer = p.layer_active = common + p.ffn;
    p.total = p.active = p.one_expert = ends + real(s.layers) * p.layer;
    return p;
  }
  const double expert = feed_forward(s, s.expert_ffn_or_ffn());
  const double shared = real(s.shared_experts) * feed_forward(s, s.shared_ffn_or_expert());
  p.experts = real(s.experts) * expert + shared;
  p.router = h * real(s.experts) + (s.router_bias ? real(s.experts) : 0);
  p.layer = common + p.experts + p.router;
  p.layer_active = common + real(s.experts_per_token) * expert + shared + p.router;
  const double dense = real(s.dense_before(s.layers));
  const double sparse = real(s.layers) - dense;
  const double dense_part = ends + dense * (common + p.ffn);
  p.total = dense_part + sparse * p.layer;
  p.active = dense_part + sparse * p.layer_active;
  p.one_expert = dense_part + sparse * (common + expert);
  return p;
}

}  // namespace

ParameterCount count_parameters(const ModelShape& s) {
  ParameterCount p = count_main(s);
  add_modules(p, s);
  return p;
}

double routed_parameters(const ModelShape& s) {
  return real(s.experts) * feed_forward(s, s.expert_ffn_or_ffn());
}

double block_parameters(const ModelShape& shape) { return count_parameters(shape).layer; }

}  // namespace trainyard
