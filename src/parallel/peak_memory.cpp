#include "parallel/peak_memory.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr double kHalf = 2;    // bytes of a 16-bit number
constexpr double kSingle = 4;  // bytes of a 32-bit number
// Transformer Engine's allocation for cuBLAS on Hopper and later is 32 MiB and that of PyTorch the same.
constexpr double kWorkspaceBytes = 64.0 * 1024 * 1024;
constexpr double kVocabularyMultiple = 128;  // Megatron-LM, --make-vocab-size-divisible-by

double real(std::int64_t count) { return static_cast<double>(count); }

/// What one layer of a kind holds and keeps on one device.
struct LayerMemory {
  std::vector<std::pair<double, double>> weights;  // rows and columns of matrices that all replicas hold
  std::vector<std::pair<double, double>> experts;  // of each expert
  double vectors = 0;                              // norms and biases
  double local_experts = 0;
  double kept = 0;       // bytes of a token until the backward pass
  double temporary = 0;  // bytes of a token during it
};

double elements(const std::vector<std::pair<double, double>>& matrices) {
  double sum = 0;
  for (const auto& [rows, columns] : matrices) sum += rows * columns;
  return sum;
}

class Device {
 public:
  Device(const ModelShape& shape, const MappingInput& cut)
      : s_(shape),
        cut_(cut),
        h_(real(shape.hidden)),
        t_(real(cut.tensor.value_or(1))),
        t_sequence_(cut.sequence_parallel ? t_ : 1),
        p_(cut.pipeline.value_or(1)),
        replicas_(real(cut.data.value_or(1)) * real(cut.context)),
        tokens_(real(cut.microbatch) * real(shape.sequence) / real(cut.context)),
        dense_(layer(false)),
        sparse_(shape.experts > 0 ? layer(true) : dense_) {}

  PeakMemory of(std::int64_t stage, bool keep_all) const {
    const Layers layers = layers_of(stage);
    PeakMemory m;
    m.stage = stage;
    add_states(m, common_parameters(stage, layers), 1);
    add_states(m, layers.sparse * sparse_.local_experts * elements(sparse_.experts), real(cut_.expert));
    m.activations = Bytes(in_flight(stage, keep_all) * kept(layers));
    m.placeholders = Bytes(placeholders(layers));
    m.temporaries = Bytes(std::max(layer_temporaries(layers), head_temporaries(stage)));
    m.workspace = Bytes(kWorkspaceBytes);
    return m;
  }

 private:
  struct Layers {
    double dense = 0;
    double sparse = 0;
  };

  double padded_vocabulary() const {
    const double multiple = kVocabularyMultiple * t_;
    return std::ceil(real(s_.vocabulary) / multiple) * multiple;
  }

  LayerMemory layer(bool with_experts) const {
    LayerMemory l;
    const double norm = s_.norm == NormKind::layer ? 2 * h_ : h_;
    l.vectors = real(s_.norms_per_layer) * norm;
    const double block_inputs = s_.parallel_block ? 1 : 2;
    l.kept = kHalf * (real(s_.norms_per_layer) + block_inputs) * h_ / t_sequence_;
    if (s_.dropout) l.kept += 2 * h_ / t_sequence_;  // masks, a byte an element
    if (s_.attention == AttentionKind::latent) {
      add_latent_attention(l);
    } else {
      add_attention(l);
    }
    if (with_experts) {
      add_experts(l);
    } else {
      add_feed_forward(l, real(s_.ffn_or_fourfold()));
    }
    return l;
  }

  void add_attention(LayerMemory& l) const {
    const double query = real(s_.heads) * real(s_.head_size_or_even());
    const double key = real(s_.kv_heads_or_all()) * real(s_.head_size_or_even());
    l.weights.emplace_back((query + 2 * key) / t_, h_);
    l.weights.emplace_back(h_, query / t_);
    if (s_.attention_bias != BiasTerms::none) l.vectors += (query + 2 * key) / t_;
    if (s_.attention_bias == BiasTerms::all) l.vectors += h_;
    l.kept += kHalf * (query + 2 * key) / t_;
    add_attention_output(l, query);
  }

  void add_latent_attention(LayerMemory& l) const {
    const double heads = real(s_.heads);
    const double query = heads * real(s_.nope_head_size + s_.rope_head_size);
    const double value = heads * real(s_.value_head_size);
    const double q_rank = real(s_.q_lora_rank);
    const double kv_rank = real(s_.kv_lora_rank);
    const double rope = real(s_.rope_head_size);
    if (q_rank > 0) l.weights.emplace_back(q_rank, h_);
    l.weights.emplace_back(query / t_, q_rank > 0 ? q_rank : h_);
    l.weights.emplace_back(kv_rank + rope, h_);
    l.weights.emplace_back(heads * real(s_.nope_head_size + s_.value_head_size) / t_, kv_rank);
    l.weights.emplace_back(h_, value / t_);
    l.vectors += q_rank + kv_rank;
    const double compressed = 2 * q_rank + 2 * kv_rank + rope;  // before and after their norms
    l.kept += kHalf * (compressed / t_sequence_ + (2 * query + value) / t_);
    add_attention_output(l, value);
  }

  void add_attention_output(LayerMemory& l, double width) const {
    const double copies = cut_.context > 1 ? 2 : 1;
    l.kept += kHalf * copies * width / t_;
    const double scores = real(s_.heads) * real(s_.sequence) / t_;  // of a token
    const double matrix = s_.dropout ? 2 * kHalf + 1 : kHalf;       // softmax; its mask and what is left
    if (cut_.attention == Attention::flash) {
      l.kept += kSingle * real(s_.heads) / t_;  // log-sum-exp
    } else if (cut_.recompute == Recompute::none) {
      l.kept += matrix * scores;
    } else {
      l.temporary += matrix * scores;
    }
  }

  void add_feed_forward(LayerMemory& l, double inner) const {
    const double first = (s_.gated_ffn ? 2 : 1) * inner;
    l.weights.emplace_back(first / t_, h_);
    l.weights.emplace_back(h_, inner / t_);
    if (s_.ffn_bias) l.vectors += first / t_ + h_;
    l.kept += kHalf * (first + inner) / t_;
    l.temporary = std::max(l.temporary, kHalf * (first / t_ + h_));  // the second input has just been freed
  }

  void add_experts(LayerMemory& l) const {
    const double inner = real(s_.expert_ffn_or_ffn());
    const double first = (s_.gated_ffn ? 2 : 1) * inner;
    const double copies = real(s_.experts_per_token);
    if (s_.shared_experts > 0) add_feed_forward(l, real(s_.shared_experts) * inner);
    l.weights.emplace_back(real(s_.experts), h_);  // router
    l.experts = {{first / t_, h_}, {h_, inner / t_}};
    l.local_experts = real(s_.experts) / real(cut_.expert);
    const double scores = 2 * kSingle * real(s_.experts);  // logits and probabilities
    l.kept += kHalf * copies * (h_ + (first + inner) / t_) + scores / t_sequence_;
    l.temporary = std::max(l.temporary, kHalf * copies * (first / t_ + h_) + kHalf * h_);
  }

  /// Layers are dealt evenly, the first stages take one more where they do not divide.
  Layers layers_of(std::int64_t stage) const {
    const std::int64_t even = s_.layers / p_;
    const std::int64_t more = s_.layers % p_;
    const std::int64_t count = even + (stage < more ? 1 : 0);
    if (s_.experts == 0) return {real(count), 0};
    const std::int64_t first = stage * even + std::min(stage, more);
    const std::int64_t dense = std::clamp<std::int64_t>(s_.dense_layers - first, 0, count);
    return {real(dense), real(count - dense)};
  }

  double common_parameters(std::int64_t stage, const Layers& layers) const {
    double sum = layers.dense * (elements(dense_.weights) + dense_.vectors);
    sum += layers.sparse * (elements(sparse_.weights) + sparse_.vectors);
    const double table = padded_vocabulary() * h_ / t_;
    if (stage == 0) sum += table + real(s_.learned_positions) * h_;
    const bool own_output = !s_.tied_embeddings || p_ > 1;
    if (stage == p_ - 1) sum += (own_output ? table : 0) + (s_.final_norm ? h_ : 0);
    return sum;
  }

  void add_states(PeakMemory& m, double parameters, double spread) const {
    const double shards = std::max(1.0, replicas_ / spread);
    const std::int64_t zero = cut_.zero_stage;
    m.weights += Bytes(kHalf * parameters / (zero >= 3 ? shards : 1));
    m.gradients += Bytes(kSingle * parameters / (zero >= 2 ? shards : 1));
    m.optimizer += Bytes(3 * kSingle * parameters / (zero >= 1 ? shards : 1));
  }

  double in_flight(std::int64_t stage, bool keep_all) const {
    const double all = real(cut_.microbatches.value_or(1));
    if (keep_all) return all;
    const double behind = real(p_ - stage - 1);
    const double v = p_ > 1 ? real(cut_.virtual_stages) : 1;
    const double waiting = v > 1 ? (2 * behind + (v - 1) * real(p_) + 1) / v : behind + 1;
    return std::min(waiting, all);
  }

  /// Bytes of one microbatch on a stage.
  double kept(const Layers& layers) const {
    if (cut_.recompute == Recompute::full) {
      return tokens_ * (layers.dense + layers.sparse) * kHalf * h_ / t_sequence_;
    }
    return tokens_ * (layers.dense * dense_.kept + layers.sparse * sparse_.kept);
  }

  double placeholders(const Layers& layers) const {
    std::set<std::pair<double, double>> shapes;
    if (layers.dense > 0) shapes.insert(dense_.weights.begin(), dense_.weights.end());
    if (layers.sparse > 0) {
      shapes.insert(sparse_.weights.begin(), sparse_.weights.end());
      shapes.insert(sparse_.experts.begin(), sparse_.experts.end());
    }
    double sum = 0;
    for (const auto& [rows, columns] : shapes) sum += kHalf * rows * columns;
    return sum;
  }

  /// Backward pass of a layer; with full recomputation what the layer keeps is there as well.
  double layer_temporaries(const Layers& layers) const {
    double most = 0;
    for (const auto& [count, layer] :
         {std::pair{layers.dense, &dense_}, std::pair{layers.sparse, &sparse_}}) {
      if (count == 0) continue;
      const double again = cut_.recompute == Recompute::full ? layer->kept : 0;
      most = std::max(most, tokens_ * (layer->temporary + again));
    }
    return most;
  }

  /// Logits with their gradient in place (a fused cross entropy), the weights' gradient; the output of the
  /// final norm and its gradient, gathered where the sequence is divided; input and output of that norm.
  double head_temporaries(std::int64_t stage) const {
    if (stage != p_ - 1) return 0;
    const double vocabulary = padded_vocabulary() / t_;
    const double gathered = t_sequence_ > 1 ? 2 : 1;
    return kHalf * (tokens_ * vocabulary + vocabulary * h_ + tokens_ * h_ * (gathered + 2 / t_sequence_));
  }

  const ModelShape& s_;
  const MappingInput& cut_;
  double h_;
  double t_;           // tensor-parallel group
  double t_sequence_;  // group over which tokens are divided outside of attention and feed-forward layer
  std::int64_t p_;
  double replicas_;
  double tokens_;  // of a microbatch
  LayerMemory dense_;
  LayerMemory sparse_;
};

}  // namespace

PeakMemory stage_peak_memory(const ModelShape& shape, const MappingInput& cut, std::int64_t stage,
                             bool keep_all) {
  return Device(shape, cut).of(stage, keep_all);
}

PeakMemory peak_memory(const ModelShape& shape, const MappingInput& cut, bool keep_all) {
  const Device device(shape, cut);
  PeakMemory most = device.of(0, keep_all);
  for (std::int64_t stage = 1; stage < cut.pipeline.value_or(1); ++stage) {
    const PeakMemory m = device.of(stage, keep_all);
    if (m.total() > most.total()) most = m;
  }
  return most;
}

}  // namespace trainyard
