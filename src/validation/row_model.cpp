#include <fmt/core.h>

#include <algorithm>

#include "catalog/catalog.h"
#include "trainyard/catalog.h"
#include "validation/row_cells.h"
#include "validation/run_reader.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr WholeRange kWidth{1, 100'000'000};  // of a matrix; of a vocabulary
constexpr WholeRange kHead{1, 1'000'000};
constexpr WholeRange kExperts{0, 1'000'000};
constexpr WholeRange kModules{0, 1'000};

/// GPT-2's details for a plain feed-forward layer, Llama's for a gated one.
ModelShape usual_shape(bool gated) {
  ModelShape shape;
  if (gated) return shape;
  shape.learned_positions = 1;  // replaced by the sequence
  shape.tied_embeddings = true;
  shape.attention_bias = BiasTerms::all;
  shape.ffn_bias = true;
  shape.norm = NormKind::layer;
  shape.dropout = true;
  return shape;
}

/// The model's columns.
class ModelCells : RowCells {
 public:
  explicit ModelCells(const RowCells& cells) : RowCells(cells) {}

  void read() {
    const ModelShape* known = base_model();
    ModelShape& shape = run_.shape;
    const bool gated = row_.flag("gated_ffn").value_or(known && known->gated_ffn);
    shape = known ? *known : usual_shape(gated);
    shape.gated_ffn = gated;
    const std::int64_t published_layers = shape.layers;
    shape.layers = whole_or("layers", kRunLayers, 1);
    shape.hidden = whole_or("hidden", kWidth, 1);
    shape.heads = whole_or("heads", kWidth, 1);
    shape.vocabulary = whole_or("vocab", kWidth, 1);
    shape.sequence = whole_or("sequence", kRunSequences, 1);
    if (shape.learned_positions > 0) shape.learned_positions = shape.sequence;
    if (const auto ffn = row_.whole("ffn", kWidth)) shape.ffn = ffn;
    if (const auto kv_heads = row_.whole("kv_heads", kWidth)) shape.kv_heads = kv_heads;
    if (const auto head = row_.whole("head_dim", kHead)) shape.head_size = head;
    if (const auto parallel = row_.flag("parallel_block")) {
      shape.parallel_block = *parallel;
      shape.norms_per_layer = *parallel ? 1 : std::max<std::int64_t>(2, shape.norms_per_layer);
    }
    if (const auto tied = row_.flag("tied_embeddings")) shape.tied_embeddings = *tied;
    if (const auto function = row_.choice<Activation>("activation", activation_words()))
      shape.activation = *function;
    if (const auto dropout = row_.flag("dropout")) shape.dropout = *dropout;
    if (const auto window = row_.whole("window", kRunSequences)) shape.attention_window = *window;
    if (shape.layers < published_layers) shape.mtp_layers = 0;
    if (const auto modules = row_.whole("mtp_layers", kModules)) shape.mtp_layers = *modules;
    read_experts(known, published_layers);
    if (row_.good()) check_own_shape();
  }

 private:
  const ModelShape* base_model() {
    const std::string key = row_.text("base_model");
    if (key.empty()) return reader_.model(run_.model);
    if (const ModelShape* found = catalog_.models.find(key)) return found;
    row_.complain_unknown("base_model", key, catalog_.models.keys());
    return nullptr;
  }

  void read_experts(const ModelShape* known, std::int64_t published_layers) {
    ModelShape& shape = run_.shape;
    if (const auto experts = row_.whole("experts", kExperts)) shape.experts = *experts;
    const auto copies = row_.whole("experts_per_token", kExperts);
    if (copies) shape.experts_per_token = *copies;
    if (!known || shape.experts != known->experts) shape.expert_groups = shape.groups_per_token = 1;
    if (shape.experts == 0) {
      if (copies.value_or(0) > 0)
        row_.complain_column("experts_per_token", fmt::format("{} of no experts", *copies),
                             "fill in column 'experts', or leave both blank");
      shape.experts_per_token = shape.shared_experts = shape.dense_layers = 0;
      return;
    }
    if (!known || known->experts == 0) {
      assume("every layer has experts, each as wide as ffn, none shared: the catalog has no such model");
      return;
    }
    // Models cut to a few layers keep one dense layer: SimuMax release 1.2, notes and scripts.
    if (shape.layers < published_layers) shape.dense_layers = std::min<std::int64_t>(shape.dense_layers, 1);
  }

  void check_own_shape() {
    Findings findings;
    check_shape(run_.shape, row_.where(), "shape", findings);
    try {
      findings.throw_if_any();
    } catch (const InputError& error) {
      for (const Finding& finding : error.findings()) row_.complain(finding.message, finding.help);
    }
  }
};

}  // namespace

void read_model_cells(const RowCells& cells) { ModelCells(cells).read(); }

}  // namespace trainyard
