// Depth and width; parameters, FLOP and bytes of a transformer.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario/training.h"
#include "trainyard/units.h"

namespace trainyard {

enum class CausalAttention;

/// Depth and width.
struct DepthWidth {
  double depth = 0;
  double width = 0;
};

/// Depth and width at the transition of Levine et al. 2020, ln(width) = 5.039 + 0.0555 depth, with 12 depth
/// width^2 parameters.
DepthWidth depth_to_width(double parameters);

/// A dense shape for a parameter count: depth and width by depth_to_width, width rounded to whole heads of
/// about 128 (or the given number of heads), depth then chosen so that the count comes nearest.
ModelShape shape_for_parameters(double parameters, const ModelShape& settings);

/// The model that a scenario asks for: its shape, or that of its parameter count.
ModelShape resolve_shape(const ModelInput& model);

/// Exact parameter counts.
ParameterCount count_parameters(const ModelShape& shape);

/// Parameters of one transformer block of the kind that most layers are (with experts where the model has
/// any).
double block_parameters(const ModelShape& shape);

/// The operators of one layer for one sequence; `with_experts` picks the kind of layer.
std::vector<Operator> layer_operators(const ModelShape& shape, bool with_experts, CausalAttention causal);

/// Pairs of a query and a key that windows leave, over those of full causal attention, in the mean of the
/// layers.
double attended_share(const ModelShape& shape);

/// The same of the products' FLOP: layers without the window may have wider heads.
double attended_work(const ModelShape& shape);

/// Widths of what full attention projects, in the mean of layers with and without the window.
struct AttentionWidths {
  double query;
  double key;    // of the values, too
  double value;  // as far as they have a projection of their own
};

AttentionWidths attention_widths(const ModelShape& shape);

/// Parameters of a layer's routed experts.
double routed_parameters(const ModelShape& shape);

/// Whether outputs of attention and feed-forward layer pass a norm of their own before they are added.
bool normalizes_outputs(const ModelShape& shape);

/// Of so many places (devices, HB domains) that experts are dealt to in their order, those that hold any of a
/// token's experts in the mean: n (1 - (1 - 1/n)^k) for k drawn evenly. A token that is routed within g of G
/// groups of experts (DeepSeek-V2 report 2024, section 2.2.2) draws from the places of those groups.
double places_reached(const ModelShape& shape, double places);

/// Whether its work goes with the tokens that a device's experts get.
bool of_experts(const Operator& op);

/// Copies of tokens that the fullest of `devices` that share one set of experts gets, over their mean: at
/// most `imbalance`, and no more than a copy of every token for each expert that it holds or that a token
/// goes to.
double fullest_device(const ModelShape& shape, double devices, double imbalance);

/// Embedding look-up, output matrix and what stands around the layers of multi-token prediction, for one
/// sequence.
std::vector<Operator> head_operators(const ModelShape& shape);

/// Freezes the weights of a layer's operators and adds low-rank adapters beside the projections of attention
/// (Hu et al. 2021, LoRA, section 4): for each an (inner x rank) and a (rank x columns) product.
void add_adapters(std::vector<Operator>& operators, std::int64_t rank);

/// Forward and backward FLOP of one sequence through the whole model, recomputation not counted: the
/// numerator of MFU. The attention matrix is counted whole, as Narayanan et al. 2021 (equation 3) do.
/// Frozen weights need no gradients of theirs: two passes in place of three.
Flop training_flop(const ModelShape& shape, bool frozen = false);

/// Tokens of the training run: the scenario's, else the catalog's, else loss-optimal by Hoffmann approach 2
/// for the active parameters.
double run_tokens(const TrainingInput& training, const ModelShape& shape);

/// Everything above for a scenario.
ModelPlan plan_model(const ModelInput& model, const TrainingInput& training, CausalAttention causal);

}  // namespace trainyard
