#include "parallel/layer_memory.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "model/model.h"
#include "model/recompute_modules.h"

namespace trainyard {
namespace {

constexpr double kSingle = 4;  // bytes of a 32-bit number: log-sum-exps, scores of a router
constexpr std::uint16_t kProjections = module_bits(RecomputeModule::attention_projections);

/// Adds a layer up, operator by operator. Bytes are of one token.
class LayerCount {
 public:
  LayerCount(const MemoryCase& c, bool with_experts)
      : c_(c),
        s_(c.shape),
        h_(real(c.shape.hidden)),
        t_(real(c.tensor)),
        t_sequence_(divides_hidden(c) ? t_ : 1),
        divided_experts_(t_ / real(c.expert_tensor)),
        frozen_(c.adapter_rank > 0),
        modules_(module_bits(c.modules)) {
    add_norms();
    if (s_.attention == AttentionKind::latent) {
      add_latent_attention();
    } else {
      add_attention();
    }
    add_adapters();
    if (with_experts) {
      add_experts();
    } else {
      add_feed_forward(real(s_.ffn_or_fourfold()),
                       module_bits(RecomputeModule::mlp, RecomputeModule::mlp_up));
    }
  }

  LayerMemory result() {
    choose_kept();
    return std::move(l_);
  }

 private:
  double activations(double numbers) const { return c_.bytes.activation * numbers; }

  double activation_inputs(double numbers) const { return c_.bytes.activation_input * numbers; }

  /// What nothing but the gradient of a weight needs: not kept where that weight is frozen.
  double inputs(double numbers, bool learns) const { return learns ? c_.bytes.input * numbers : 0; }

  /// Bytes of a token that are kept unless one of these modules is computed again.
  void keep(double bytes, std::uint16_t modules) {
    full_ += bytes;
    if ((modules_ & modules) != 0) dropped_ += bytes;
  }

  /// Inputs of the norms, and their outputs, which are inputs of products; an adapter needs the attention's.
  void add_norms() {
    constexpr std::uint16_t kNorms = module_bits(RecomputeModule::layernorm);
    const double norms = real(s_.norms_per_layer);
    l_.vectors = norms * (s_.norm == NormKind::layer ? 2 * h_ : h_);
    // The second norm's input is what the attention's output was added to.
    const double behind = s_.parallel_block || norms < 2 ? 0 : 1;
    full_ += activations((norms - behind) * h_) / t_sequence_;
    keep(activations(behind * h_) / t_sequence_, module_bits(RecomputeModule::attention_output));
    const double over = c_.software.keeps_gathered_inputs ? 1 : t_sequence_;
    keep(inputs(h_, true) / over, kNorms);
    if (!s_.parallel_block) keep(inputs(h_, !frozen_) / over, kNorms);
    if (s_.dropout) full_ += 2 * h_ / t_sequence_;  // masks, a byte an element
  }

  void add_attention() {
    const auto [query, key, value] = attention_widths(s_);
    l_.weights.emplace_back((query + key + value) / t_, h_);
    l_.weights.emplace_back(h_, query / t_);
    if (s_.attention_bias != BiasTerms::none) l_.vectors += (query + key + value) / t_;
    if (s_.attention_bias == BiasTerms::all) l_.vectors += h_;
    if (s_.qk_norm) keep(activations(query + key) / t_, kProjections);  // inputs of the norms
    keep(activations(query + 2 * key) / t_, kProjections);
    add_attention_output(query, 2 * key);
    saved_products_ += activations(query + key) / t_;
  }

  void add_latent_attention() {
    const double heads = real(s_.heads);
    const double query = heads * real(s_.nope_head_size + s_.rope_head_size);
    const double value = heads * real(s_.value_head_size);
    const double q_rank = real(s_.q_lora_rank);
    const double kv_rank = real(s_.kv_lora_rank);
    const double rope = real(s_.rope_head_size);
    if (q_rank > 0) l_.weights.emplace_back(q_rank, h_);
    l_.weights.emplace_back(query / t_, q_rank > 0 ? q_rank : h_);
    l_.weights.emplace_back(kv_rank + rope, h_);
    l_.weights.emplace_back(heads * real(s_.nope_head_size + s_.value_head_size) / t_, kv_rank);
    l_.weights.emplace_back(h_, value / t_);
    l_.vectors += q_rank + kv_rank;
    constexpr std::uint16_t kUp = kProjections | module_bits(RecomputeModule::mla_up_projection);
    keep(activations(q_rank + kv_rank + rope) / t_sequence_, kProjections);
    keep(inputs(q_rank + kv_rank, true) / t_sequence_, kUp);
    keep(activations(2 * query + value) / t_, kUp);
    add_attention_output(value, query + value);
    saved_products_ += q_rank > 0 ? activations(q_rank + kv_rank + rope) / t_sequence_
                                  : activations(query + heads * real(s_.nope_head_size) + value) / t_;
  }

  /// The output once for the kernel's backward pass and the next product alike, unless that keeps a copy of
  /// another format; a ring keeps it before the last exchange too. The attention matrix after softmax, and
  /// with dropout its mask and what is left.
  void add_attention_output(double width, double keys_and_values) {
    const bool exchanged = c_.software.context_exchange != ContextExchange::all_gather && c_.software.buffers;
    const double copies = c_.context > 1 && exchanged ? 2 : 1;
    const double output = activations(copies * width) / t_;
    constexpr std::uint16_t kKernel = module_bits(RecomputeModule::core_attention);
    const bool cast = c_.bytes.input < c_.bytes.activation;  // for that product
    keep(output, cast || c_.software.recomputes_inputs ? kKernel : 0);
    saved_products_ += output;
    if (cast) full_ += inputs(width, true) / t_;
    if (c_.context > 1 && c_.software.context_exchange == ContextExchange::all_gather) {
      l_.temporary += 2 * activations(keys_and_values * real(c_.context)) / t_;  // and their gradients
    }
    const double scores = real(s_.heads) * real(s_.sequence) / t_;
    const double matrix = s_.dropout ? 2 * c_.bytes.activation + 1 : c_.bytes.activation;
    if (c_.attention == Attention::flash) {
      const double sums = kSingle * real(s_.heads) / t_;  // log-sum-exp
      keep(sums, kKernel);
      saved_products_ += sums;
    } else if (c_.recompute == Recompute::none && (modules_ & kKernel) == 0) {
      full_ += matrix * scores;
    } else {
      l_.temporary += matrix * scores;
    }
  }

  /// A pair of matrices of the rank beside each matrix of the attention, divided as that matrix is.
  void add_adapters() {
    if (!frozen_) return;
    for (const auto& [rows, columns] : l_.weights) l_.adapters += real(c_.adapter_rank) * (rows + columns);
    full_ += activations(real(c_.adapter_rank) * real(std::ssize(l_.weights)));  // between the two
  }

  /// `modules`: with which the whole layer is computed again.
  void add_feed_forward(double inner, std::uint16_t modules) {
    const double first = (s_.gated_ffn ? 2 : 1) * inner;
    l_.weights.emplace_back(first / t_, h_);
    l_.weights.emplace_back(h_, inner / t_);
    if (s_.ffn_bias) l_.vectors += first / t_ + h_;
    const bool dense = (modules & module_bits(RecomputeModule::mlp)) != 0;
    const std::uint16_t activation = dense ? module_bits(RecomputeModule::mlp_activation) : 0;
    keep(activation_inputs(first) / t_, modules);
    keep(inputs(inner, !frozen_) / t_, static_cast<std::uint16_t>(modules | activation));
    keep(unfused_gate(inner) / t_, static_cast<std::uint16_t>(modules | activation));
    saved_products_ += activations(inner) / t_ + activations(h_) / t_sequence_;
    // The gradient of the second product's input has just been freed.
    l_.temporary = std::max(l_.temporary, activations(first / t_ + h_));
  }

  /// What a gated activation's product of its own takes from the activation, by kernels that nothing fuses.
  double unfused_gate(double inner) const {
    return s_.gated_ffn && c_.software.buffers && c_.software.unfused > 0 ? activations(inner) : 0;
  }

  /// Every copy of a token is an input of its own, gathered where tensor parallelism divides the expert;
  /// without a program's buffers the first is the norm's output, and all are divided.
  double expert_inputs(double copies) const {
    return c_.software.buffers ? copies * h_ / divided_experts_ : (copies - 1) * h_ / t_sequence_;
  }

  void add_experts() {
    const double inner = real(s_.expert_ffn_or_ffn());
    const double first = (s_.gated_ffn ? 2 : 1) * inner;
    const double copies = real(s_.experts_per_token) * c_.fullest;
    constexpr std::uint16_t kExperts = module_bits(RecomputeModule::moe);
    constexpr std::uint16_t kActivation = module_bits(RecomputeModule::moe, RecomputeModule::moe_activation);
    if (s_.shared_experts > 0)
      add_feed_forward(real(s_.shared_experts * s_.shared_ffn_or_expert()),
                       module_bits(RecomputeModule::moe, RecomputeModule::shared_experts));
    l_.weights.emplace_back(real(s_.experts), h_);  // router
    const double cut = real(c_.expert_tensor);
    l_.experts = {{first / cut, h_}, {h_, inner / cut}};
    l_.local_experts = real(s_.experts) / real(c_.expert);
    keep(inputs(expert_inputs(copies), !frozen_), kExperts);
    keep(copies * activation_inputs(first) / t_, kExperts);
    keep(copies * inputs(inner, !frozen_) / t_, kActivation);
    keep(copies * unfused_gate(inner) / t_, kActivation);
    keep(2 * kSingle * real(s_.experts) / t_sequence_, kExperts);  // logits and probabilities
    // What all-to-alls brought, there and back.
    if (c_.expert > 1) saved_products_ += activations(2 * copies * h_ / divided_experts_);
    l_.temporary = std::max(l_.temporary, activations(copies * (first / t_ + h_ / divided_experts_) + h_));
  }

  /// torchtitan's selective recomputation saves the layer's input, the attention's output, what experts'
  /// all-to-alls brought and the outputs of every other matrix product, from the first on (its
  /// activation_checkpoint module, option "op"; Operator::repeated).
  void choose_kept() {
    const double input = activations(h_) / t_sequence_;
    const bool by_operator = c_.recompute == Recompute::selective && c_.software.partial_recompute;
    double kept = full_ - dropped_;
    if (c_.recompute == Recompute::full) kept = input;
    if (by_operator) kept = std::min(full_, input + saved_products_);
    l_.recomputed = c_.recompute == Recompute::full ? full_ : full_ - kept;
    l_.kept = full_ + (kept - full_) * c_.recomputed_share;
  }

  const MemoryCase& c_;
  const ModelShape& s_;
  double h_;
  double t_;                // tensor-parallel group
  double t_sequence_;       // group over which tokens are divided outside of attention and feed-forward layer
  double divided_experts_;  // shares of the tensor group, each with experts and tokens of its own
  bool frozen_;
  std::uint16_t modules_;      // that are computed again
  double dropped_ = 0;         // of what is kept, by these modules
  double full_ = 0;            // kept where nothing but, perhaps, the attention matrix is recomputed
  double saved_products_ = 0;  // of it, by a selection of operators
  LayerMemory l_;
};

}  // namespace

double elements(const std::vector<MatrixShape>& matrices) {
  double sum = 0;
  for (const auto& [rows, columns] : matrices) sum += rows * columns;
  return sum;
}

double largest(const std::vector<MatrixShape>& matrices) {
  double most = 0;
  for (const auto& [rows, columns] : matrices) most = std::max(most, rows * columns);
  return most;
}

double LayerMemory::parameters() const { return elements(weights) + vectors; }

double LayerMemory::expert_parameters() const { return local_experts * elements(experts); }

LayerMemory layer_memory(const MemoryCase& c, bool with_experts) {
  return LayerCount(c, with_experts).result();
}

namespace {

double different_shapes(std::initializer_list<const std::vector<MatrixShape>*> of) {
  std::set<MatrixShape> shapes;
  for (const std::vector<MatrixShape>* matrices : of) shapes.insert(matrices->begin(), matrices->end());
  double sum = 0;
  for (const auto& [rows, columns] : shapes) sum += rows * columns;
  return sum;
}

}  // namespace

LayerMemories::LayerMemories(const MemoryCase& c)
    : dense(layer_memory(c, false)),
      sparse(c.shape.experts > 0 ? layer_memory(c, true) : dense),
      dense_shapes(different_shapes({&dense.weights})),
      sparse_shapes(different_shapes({&sparse.weights, &sparse.experts})),
      all_shapes(different_shapes({&dense.weights, &sparse.weights, &sparse.experts})) {}

}  // namespace trainyard
