#include <algorithm>

#include "parallel/parallel.h"

namespace trainyard {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

/// Elements of one token that a layer keeps, by how they are divided.
struct KeptElements {
  double by_tensor = 0;    // always divided over the tensor-parallel group
  double by_sequence = 0;  // divided only with sequence parallelism
  double mask_bytes = 0;   // dropout masks, a byte an element, divided as by_sequence
};

double kept_by_attention(const ModelShape& s) {
  if (s.attention == AttentionKind::full) {
    const double head = real(s.head_size_or_even());
    return 2 * real(s.heads) * head + 2 * real(s.kv_heads_or_all()) * head;  // Q, attention output; K, V
  }
  const double heads = real(s.heads);
  const double query = heads * real(s.nope_head_size + s.rope_head_size);
  const double value = heads * real(s.value_head_size);
  const double compressed = real(s.q_lora_rank + s.kv_lora_rank + s.rope_head_size);
  return 2 * query + 2 * value + compressed;  // Q, K; V, attention output; low-rank inputs
}

/// Input of the second matrix, and what the activation function needs.
double kept_by_feed_forward(const ModelShape& s, double inner) { return (s.gated_ffn ? 3 : 2) * inner; }

KeptElements kept_elements(const ModelShape& s) {
  const double h = real(s.hidden);
  KeptElements kept;
  kept.by_tensor = kept_by_attention(s);
  const double block_inputs = s.parallel_block ? 1 : 2;  // of attention and of the feed-forward layer
  kept.by_sequence = real(s.norms_per_layer) * h + block_inputs * h;
  if (s.experts == 0) {
    kept.by_tensor += kept_by_feed_forward(s, real(s.ffn_or_fourfold()));
  } else {
    const double copies = real(s.experts_per_token + s.shared_experts);
    kept.by_tensor += copies * kept_by_feed_forward(s, real(s.expert_ffn_or_ffn()));
    kept.by_sequence += (copies - 1) * h;  // every expert's own copy of its input
  }
  kept.mask_bytes = s.dropout ? 2 * h : 0;
  return kept;
}

/// The attention matrix after softmax, and with dropout its mask and what is left of it.
double attention_matrix_bytes(const ModelShape& s, double element) {
  const double sequence = real(s.sequence);
  const double per_element = s.dropout ? 2 * element + 1 : element;
  return real(s.heads) * sequence * sequence * per_element;
}

}  // namespace

Bytes activation_bytes(const ModelShape& s, const Scenario& scenario, std::int64_t tensor,
                       Recompute recompute) {
  const MappingInput& mapping = scenario.mapping;
  const double element = bytes_of(scenario.precision.activations);
  const double t = real(tensor);
  const double t_sequence = mapping.sequence_parallel ? t : 1;
  const double tokens = real(mapping.microbatch) * real(s.sequence) / real(mapping.context);
  if (recompute == Recompute::full) return Bytes(tokens * real(s.hidden) * element / t_sequence);
  const KeptElements kept = kept_elements(s);
  double bytes = tokens * kept.by_tensor * element / t;
  bytes += tokens * (kept.by_sequence * element + kept.mask_bytes) / t_sequence;
  if (mapping.attention == Attention::stored && recompute == Recompute::none) {
    bytes += real(mapping.microbatch) * attention_matrix_bytes(s, element) / (t * real(mapping.context));
  }
  return Bytes(bytes);
}

namespace {

/// Bytes a parameter of each term, before ZeRO.
struct ParameterBytes {
  double working;
  double master;
  double gradient;
  double optimizer;
};

ParameterBytes parameter_bytes(const PrecisionInput& p) {
  return {bytes_of(p.weights), p.master_copy ? bytes_of(p.master) : 0, bytes_of(p.gradients),
          real(p.optimizer_states) * bytes_of(p.optimizer)};
}

/// Model states of parameters that `shards` replicas hold copies of. ZeRO (Rajbhandari et al. 2020): stage 1
/// divides optimizer states and master copy over the replicas, stage 2 gradients too, stage 3 the working
/// weights too.
MemoryTerms states(double parameters, const ParameterBytes& bytes, std::int64_t zero, double shards) {
  const double optimizer_shards = zero >= 1 ? shards : 1;
  MemoryTerms terms;
  terms.weights =
      Bytes(parameters * (bytes.working / (zero >= 3 ? shards : 1) + bytes.master / optimizer_shards));
  terms.gradients = Bytes(parameters * bytes.gradient / (zero >= 2 ? shards : 1));
  terms.optimizer = Bytes(parameters * bytes.optimizer / optimizer_shards);
  return terms;
}

MemoryTerms sum(MemoryTerms a, const MemoryTerms& b) {
  a.weights += b.weights;
  a.gradients += b.gradients;
  a.optimizer += b.optimizer;
  a.activations += b.activations;
  return a;
}

/// Microbatches that wait on a stage for their backward pass: 1F1B keeps one for each stage from here to the
/// end; interleaving adds (p-1)/v (Narayanan et al. 2021, section 2.2).
double in_flight(const MappingPlan& m, std::int64_t stage) {
  const double ahead = real(m.pipeline - stage);
  const double interleaved = m.virtual_stages > 1 ? (real(m.pipeline) - 1) / real(m.virtual_stages) : 0;
  return std::min(ahead + interleaved, real(m.microbatches));
}

class StageMemory {
 public:
  StageMemory(const MappingPlan& m, const Scenario& scenario, const ModelPlan& model)
      : m_(m), scenario_(scenario), model_(model), bytes_(parameter_bytes(scenario.precision)) {}

  /// Memory of a device of a stage.
  MemoryTerms of(std::int64_t stage) const {
    const ParameterCount& p = model_.parameters;
    const double layers = real(m_.layers_per_stage);
    const double tensor = real(m_.tensor);
    const double replicas = real(m_.data) * real(m_.context);
    const double common = layers * (p.layer - p.experts) + end_parameters(stage);
    MemoryTerms terms = states(common / tensor, bytes_, scenario_.mapping.zero_stage, replicas);
    const double experts = layers * p.experts / real(m_.expert);
    terms = sum(terms, states(experts / tensor, bytes_, scenario_.mapping.zero_stage,
                              std::max(1.0, replicas / real(m_.expert))));
    terms.activations = activations(stage);
    return terms;
  }

 private:
  /// Embedding and output matrix that this stage holds.
  double end_parameters(std::int64_t stage) const {
    const ParameterCount& p = model_.parameters;
    const double input = p.embedding;
    const double output = p.output + p.final_norm;
    if (scenario_.assumptions.embedding_placement == EmbeddingPlacement::spread) {
      return (input + output) / real(m_.pipeline);
    }
    const bool first = stage == 0;
    const bool last = stage == m_.pipeline - 1;
    // A tied output matrix is a second copy when the last stage is not the first.
    const double tied_copy = model_.shape.tied_embeddings && m_.pipeline > 1 ? p.embedding : 0;
    return (first ? input : 0) + (last ? output + tied_copy : 0);
  }

  Bytes activations(std::int64_t stage) const {
    const double layers = real(m_.layers_per_stage);
    const double waiting = scenario_.mapping.offload_activations ? 1 : in_flight(m_, stage);
    Bytes bytes = m_.activation_layer * (layers * waiting);
    if (scenario_.mapping.recompute == Recompute::full) {
      bytes +=
          activation_bytes(model_.shape, scenario_, m_.tensor, Recompute::selective);  // the layer at work
    }
    if (stage == m_.pipeline - 1) bytes += logits();
    return bytes;
  }

  /// Logits of a microbatch in 32 bits, divided over the group (Korthikanti et al. 2023, section 4.3).
  Bytes logits() const {
    constexpr double kLogitBytes = 4;
    const double tokens = real(m_.microbatch) * real(model_.shape.sequence) / real(m_.context);
    return Bytes(tokens * real(model_.shape.vocabulary) * kLogitBytes / real(m_.tensor));
  }

  const MappingPlan& m_;
  const Scenario& scenario_;
  const ModelPlan& model_;
  ParameterBytes bytes_;
};

}  // namespace

MemoryTerms stage_memory(const MappingPlan& m, const Scenario& scenario, const ModelPlan& model,
                         std::int64_t stage) {
  return StageMemory(m, scenario, model).of(stage);
}

void plan_memory(MappingPlan& m, const Scenario& scenario, const ModelPlan& model) {
  const HbDomain& domain = scenario.catalog->hb_domains.at(scenario.facility.hb_domain);
  m.device_memory = scenario.catalog->accelerators.at(domain.accelerator).memory;
  m.model_memory = states(model.parameters.total, parameter_bytes(scenario.precision), 0, 1);
  m.activation_layer = activation_bytes(model.shape, scenario, m.tensor, scenario.mapping.recompute);
  m.in_flight = in_flight(m, 0);
  if (scenario.mapping.offload_activations) {
    m.host_activations = m.activation_layer * (real(m.layers_per_stage) * m.in_flight);
  }
  const StageMemory stages(m, scenario, model);
  m.device = stages.of(0);
  const MemoryTerms last = stages.of(m.pipeline - 1);
  if (last.total() > m.device.total()) m.device = last;
}

}  // namespace trainyard
