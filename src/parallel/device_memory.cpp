#include "parallel/device_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parallel/layer_memory.h"
#include "parallel/stages.h"
#include "trainyard/catalog_records.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

DeviceMemory::DeviceMemory(const MemoryCase& c, const LayerMemories& layers)
    : c_(c),
      tokens_(real(c_.microbatch) * real(c_.shape.sequence) / real(c_.context)),
      replicas_(real(c_.data) * real(c_.context)),
      sharing_(c_.zero_group > 0 ? std::min(replicas_, c_.zero_group) : replicas_),
      spread_(real(c_.expert * c_.expert_tensor) / real(c_.tensor)),
      t_sequence_(divides_hidden(c_) ? real(c_.tensor) : 1),
      layers_(layers),
      dense_(layers.dense),
      sparse_(layers.sparse) {}

DeviceTerms DeviceMemory::of(std::int64_t stage) const {
  return of(stage, stage_layers(c_.shape, {c_.pipeline, c_.last_stage_layers}, stage));
}

DeviceTerms DeviceMemory::of(std::int64_t stage, const StageLayers& layers) const {
  const double dense = real(layers.dense);
  const double sparse = real(layers.sparse);
  DeviceTerms m;
  add_states(m, end_parameters(stage) + dense * dense_.parameters() + sparse * sparse_.parameters(),
             dense * dense_.adapters + sparse * sparse_.adapters, 1);
  add_states(m, sparse * sparse_.expert_parameters(), 0, spread_);
  m.activations =
      on_device(stage, layers) + Bytes(in_flight(stage) * tokens_ * module_kept(stage) * c_.bytes.activation);
  if (!c_.software.buffers) {
    m.activations += Bytes(idealised_extra(stage, layers));
    return m;
  }
  m.placeholders = Bytes(placeholders(layers));
  m.temporaries = Bytes(std::max(layer_temporaries(layers), head_temporaries(stage)));
  m.temporaries += Bytes(gathered_ends(stage));
  m.workspace = c_.software.workspace;
  return m;
}

Bytes DeviceMemory::kept(const StageLayers& layers) const {
  return Bytes(tokens_ * (real(layers.dense) * dense_.kept + real(layers.sparse) * sparse_.kept));
}

/// Of layers that are offloaded one by one, that at work and the one under way stay.
Bytes DeviceMemory::on_device(std::int64_t stage, const StageLayers& layers) const {
  constexpr double kUnderWay = 2;
  const Bytes all = (c_.offload ? 1 : in_flight(stage)) * kept(layers);
  if (c_.offloaded <= 0) return all;
  const double most = std::max(layers.dense > 0 ? dense_.kept : 0, layers.sparse > 0 ? sparse_.kept : 0);
  return std::min(all, all * (1 - c_.offloaded) + Bytes(kUnderWay * tokens_ * most));
}

double DeviceMemory::in_flight(std::int64_t stage) const {
  const double all = real(c_.microbatches);
  if (c_.keep_all) return all;
  if (c_.weights_apart) return std::min(real(c_.pipeline), all);
  const double behind = real(c_.pipeline - stage - 1);
  const double v = c_.pipeline > 1 ? real(c_.virtual_stages) : 1;
  const double waiting = v > 1 ? (2 * behind + (v - 1) * real(c_.pipeline) + 1) / v : behind + 1;
  return std::min(waiting, c_.both_ways ? all / 2 : all);
}

double DeviceMemory::padded_vocabulary() const {
  const double vocabulary = real(c_.shape.vocabulary);
  if (c_.software.vocabulary_multiple <= 1) return vocabulary;
  const double multiple = real(c_.software.vocabulary_multiple) * real(c_.tensor);
  return std::ceil(vocabulary / multiple) * multiple;
}

/// Elements of an embedding or output matrix on one device.
double DeviceMemory::table() const { return padded_vocabulary() * real(c_.shape.hidden) / real(c_.tensor); }

/// Around the layers of multi-token prediction: projections, norms, and embeddings where the first stage's
/// are another device's and no tied output matrix is one.
double DeviceMemory::module_parameters() const {
  const ModelShape& s = c_.shape;
  if (s.mtp_layers == 0) return 0;
  const double h = real(s.hidden);
  const bool copied = c_.pipeline > 1 && !s.tied_embeddings;
  return real(s.mtp_layers) * (2 * h * h / real(c_.tensor) + 3 * h) + (copied ? table() : 0);
}

/// Elements of a token that these modules keep for their backward pass: inputs of both norms and of the
/// projection.
double DeviceMemory::module_kept(std::int64_t stage) const {
  if (stage != c_.pipeline - 1) return 0;
  return real(c_.shape.mtp_layers) * 4 * real(c_.shape.hidden) / t_sequence_;
}

double DeviceMemory::end_parameters(std::int64_t stage) const {
  const ModelShape& s = c_.shape;
  const double input = table() + real(s.learned_positions) * real(s.hidden);
  const double norm = s.final_norm ? real(s.hidden) : 0;
  if (c_.spread_ends)
    return (input + norm + module_parameters() + (s.tied_embeddings ? 0 : table())) / real(c_.pipeline);
  // A tied output matrix is a second copy where the last stage is not the first.
  const double output = !s.tied_embeddings || c_.pipeline > 1 ? table() : 0;
  return (stage == 0 ? input : 0) + (stage == c_.pipeline - 1 ? output + norm + module_parameters() : 0);
}

/// Whether ZeRO 3 leaves weights gathered, and gradients whole, from the first microbatch to the last.
bool DeviceMemory::whole_in_pipeline() const { return c_.software.whole_in_pipelines && c_.pipeline > 1; }

/// Model states of parameters that replicas / spread devices hold copies of. ZeRO (Rajbhandari et al. 2020):
/// stage 1 divides optimizer states and master copy over the copies, stage 2 gradients, stage 3 weights.
/// Adapters beside them learn in their place.
void DeviceMemory::add_states(DeviceTerms& m, double parameters, double adapters, double spread) const {
  const double shards = std::max(1.0, sharing_ / spread);
  const std::int64_t zero = c_.zero_stage;
  const double learning = c_.adapter_rank > 0 ? adapters : parameters;
  const bool whole = zero < 3 || c_.software.keeps_gathered_weights;
  const bool in_pipeline = !whole && whole_in_pipeline();
  const double cast = whole || c_.software.keeps_working_copy || c_.bytes.master == 0 ? 0 : learning;
  m.weights += Bytes(c_.bytes.weight * (parameters + adapters - cast) / (whole ? 1 : shards));
  // Gathered weights beside the shards that the optimizer updates.
  if (in_pipeline) m.gathered += Bytes(c_.bytes.weight * (parameters + adapters));
  m.gradients += Bytes(c_.bytes.gradient * learning / (zero >= 2 ? shards : 1));
  if (in_pipeline && c_.microbatches > 1) m.gathered += Bytes(c_.bytes.gradient * learning);
  if (shards > 1) m.gathered += Bytes(c_.software.gradient_copy_bytes * learning);
  m.master += Bytes(c_.bytes.master * learning / (zero >= 1 ? shards : 1));
  m.optimizer += Bytes(c_.bytes.optimizer * learning / (zero >= 1 ? shards : 1));
}

double DeviceMemory::placeholders(const StageLayers& layers) const {
  if (!c_.software.weight_gradient_placeholders || c_.adapter_rank > 0) return 0;
  const double shapes = layers.sparse == 0  ? layers_.dense_shapes
                        : layers.dense == 0 ? layers_.sparse_shapes
                                            : layers_.all_shapes;
  return c_.bytes.weight * shapes;
}

/// ZeRO 3: weights at work, the next ones where gathers run ahead, and gradients before they are scattered,
/// of a layer (Zhao et al. 2023, section 3.3.1) or, as XLA orders them, of a product.
double DeviceMemory::gathered_weights(const LayerMemory& layer) const {
  if (c_.zero_stage < 3 || whole_in_pipeline()) return 0;
  const bool single = c_.software.gathers_products;
  const bool cast = !c_.software.keeps_working_copy;  // where there is nobody to gather from, too
  const double common = sharing_ <= 1 && !cast ? 0 : single ? largest(layer.weights) : layer.parameters();
  const double experts = sharing_ <= spread_ && !cast ? 0
                         : single                     ? layer.local_experts * largest(layer.experts)
                                                      : layer.expert_parameters();
  const double ahead = c_.software.keeps_gathered_weights ? 0 : c_.software.hides_gradients ? 2 : 1;
  const double gradients = c_.adapter_rank > 0 ? 0 : 1;
  const double gathered = single ? std::max(common, experts) : common + experts;
  return (ahead + gradients) * c_.bytes.weight * gathered;
}

/// Embedding and output matrix under ZeRO 3 where the program keeps them gathered: FSDP's root module.
double DeviceMemory::gathered_ends(std::int64_t stage) const {
  const bool gathered = c_.software.keeps_gathered_ends && c_.zero_stage == 3 && sharing_ > 1;
  return gathered && !whole_in_pipeline() ? c_.bytes.weight * end_parameters(stage) : 0;
}

/// Backward pass of a layer, with what is recomputed for it.
double DeviceMemory::layer_temporaries(const StageLayers& layers) const {
  double most = 0;
  for (const auto& [count, layer] : {std::pair{layers.dense, &dense_}, std::pair{layers.sparse, &sparse_}}) {
    if (count == 0) continue;
    most = std::max(most, tokens_ * (layer->temporary + layer->recomputed) + gathered_weights(*layer));
  }
  return most;
}

/// The larger of two moments: the loss, which holds logits in its own way (a fused cross entropy in place),
/// and the output matrix's products (logits' gradient, the weights'), beside the output of the final norm and
/// its gradient, gathered where the sequence is divided, input and output of that norm.
double DeviceMemory::head_temporaries(std::int64_t stage) const {
  if (stage != c_.pipeline - 1) return 0;
  const double h = real(c_.shape.hidden);
  const double ranks = c_.software.gathers_logits ? 1 : real(c_.tensor);
  const double logits = tokens_ * padded_vocabulary() / ranks;
  const double gradient = c_.adapter_rank > 0 ? 0 : table();
  const double gathered_output = t_sequence_ > 1 ? 2 : 1;
  const double loss = c_.software.loss_held_bytes.value_or(c_.bytes.activation) * logits;
  const double products = c_.bytes.activation * (logits + gradient);
  return std::max(loss, products) + c_.bytes.activation * (tokens_ * h * (gathered_output + 2 / t_sequence_));
}

Bytes DeviceMemory::idealised_logits() const {
  constexpr double kLogitBytes = 4;
  return Bytes(tokens_ * kLogitBytes * padded_vocabulary() / real(c_.tensor));
}

/// What the papers count beside the layers: the layer that full recomputation works on, and logits.
double DeviceMemory::idealised_extra(std::int64_t stage, const StageLayers& layers) const {
  double most = 0;
  if (c_.recompute == Recompute::full) {
    if (layers.dense > 0) most = dense_.recomputed;
    if (layers.sparse > 0) most = std::max(most, sparse_.recomputed);
  }
  return tokens_ * most + (stage == c_.pipeline - 1 ? idealised_logits().si() : 0);
}

}  // namespace trainyard
