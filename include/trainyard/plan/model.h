// The part of a plan that describes the model: its parameters, operators and work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/units.h"

namespace trainyard {

/// Parameters of a model, exactly.
struct ParameterCount {
  double embedding = 0;  // input embedding and learned positions
  double output = 0;     // output matrix, when not tied
  double attention = 0;  // of one layer, norms excluded
  double ffn = 0;        // of one dense layer
  double experts = 0;    // routed and shared experts of one layer with experts
  double router = 0;     // of one layer with experts
  double norms = 0;      // of one layer
  double final_norm = 0;
  double mtp = 0;           // modules of multi-token prediction, beside what they share with the model
  double layer = 0;         // one layer, as the plan cuts them: of the kind that most layers are
  double layer_active = 0;  // the parameters of that layer that one token passes
  double total = 0;
  double active = 0;      // parameters that one token passes
  double one_expert = 0;  // the model with a single expert in each layer
};

/// What tensor parallelism divides of a matrix product.
enum class ShardedDimension { columns, inner, copies, nothing };

/// The shape of a matrix product, or of `copies` equal ones: (rows x inner) by (inner x columns).
struct ProductShape {
  double rows = 0;
  double inner = 0;
  double columns = 0;
  double copies = 1;  // heads of attention, experts
  ShardedDimension sharded = ShardedDimension::columns;
};

/// What an operator does, where a rule asks for it.
enum class OperatorRole : std::uint8_t {
  other,
  embedding,
  query_key_value,  // full attention's projection
  norms,            // of the layer, and of queries and keys
  biases,           // of that projection, without positions that are rotated
  feed_forward_up,  // experts' too; gate and input of a gated one
  squared_relu,     // of a dense feed-forward layer
  attention_scores,
  attention_output,
  routing,      // of tokens to experts
  permutation,  // of tokens by expert, and back
  expert_activation,
  expert_extra,  // clamps and biases of experts
  cross_entropy
};

/// One operator of a layer, for one sequence, on all devices of its group together.
struct Operator {
  std::string name;
  OperatorRole role = OperatorRole::other;
  bool matmul = false;
  bool attention_matrix = false;  // scores, softmax, values: what selective recomputation repeats
  bool by_head = false;           // divided over the tensor-parallel group by whole heads
  bool sequence_sharded = false;  // divided over that group only with sequence parallelism
  bool experts = false;           // of routed experts: a grouped product
  bool frozen = false;            // its weights are not trained: no gradient of them
  bool adapter = false;           // a low-rank matrix beside frozen weights
  bool unread = false;            // its output is only added to the layer's
  double repeated = 1;            // part of it that a selection by operators computes again
  std::uint16_t modules = 0;      // bits of the RecomputeModules that it belongs to
  ProductShape shape;             // of a matrix product
  double forward_flop = 0;
  double backward_flop = 0;
  double weight_elements = 0;      // read once a pass
  double activation_elements = 0;  // read and written in the forward pass
  double eager_elements = 0;  // the same where no compiler or hand has fused what PyTorch does step by step
};

/// The model's shape, size and work (HotNets '24 section 3.2).
struct ModelPlan {
  ModelShape shape;
  ParameterCount parameters;
  std::vector<Operator> operators;        // of a layer of the kind that most are, one sequence
  std::vector<Operator> dense_operators;  // of a layer without experts, where others have some
  std::vector<Operator> head_operators;   // embedding, output matrix, what multi-token prediction adds
  Flop layer_forward;                     // matrix work of one layer, one sequence
  Flop layer_backward;
  Flop sequence_training;  // forward and backward of the whole model: the model FLOP of MFU
  double law_depth = 0;    // depth and width that Levine et al. give for this parameter count
  double law_width = 0;
};

}  // namespace trainyard
