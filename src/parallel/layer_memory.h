// What a device holds and keeps of one layer: the terms from which its memory is added up.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

/// Bytes of a number of each kind.
struct NumberBytes {
  double weight = 2;
  double master = 4;  // copy of the weights that the optimizer updates; 0: none
  double gradient = 4;
  double optimizer = 8;         // all states of a parameter together
  double activation = 2;        // between operators
  double input = 2;             // of what only a matrix product's weight gradient needs
  double activation_input = 2;  // of what an activation function's backward pass needs
};

/// All that the memory of a device follows from. Shape and training program must outlive it.
struct MemoryCase {
  MemoryCase(const ModelShape& of, const Software& by) : shape(of), software(by) {}

  const ModelShape& shape;
  const Software& software;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t last_stage_layers = 0;  // 0: dealt as the others
  std::int64_t data = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
  double fullest = 1;  // tokens of the fullest device over the mean of those that share experts
  std::int64_t virtual_stages = 1;
  std::int64_t microbatch = 1;
  std::int64_t microbatches = 1;
  std::int64_t zero_stage = 0;
  double zero_group = 0;  // replicas over which ZeRO divides; 0: all
  bool sequence_parallel = true;
  Recompute recompute = Recompute::selective;
  double recomputed_share = 1;           // of the layers, under recomputation of any kind
  std::vector<RecomputeModule> modules;  // that are computed again
  Attention attention = Attention::flash;
  bool offload = false;
  double offloaded = 0;           // share of the layers whose activations go to the host within each pass
  bool keep_all = false;          // every microbatch waits for its backward pass (GPipe)
  bool weights_apart = false;     // every stage keeps as many microbatches as the first (ZB-H1)
  bool both_ways = false;         // a device holds two stages, one of each way through the model (DualPipe)
  bool spread_ends = false;       // embedding and output matrix divided over all stages
  std::int64_t adapter_rank = 0;  // above 0: only low-rank adapters of the attention's matrices learn
  NumberBytes bytes;
};

/// Whether activations of the model's width are divided over the tensor-parallel group.
inline bool divides_hidden(const MemoryCase& c) { return c.sequence_parallel || c.software.divides_hidden; }

/// Rows and columns of a weight matrix on one device.
using MatrixShape = std::pair<double, double>;

/// What one layer of a kind holds and keeps on one device.
struct LayerMemory {
  std::vector<MatrixShape> weights;  // that all replicas hold
  std::vector<MatrixShape> experts;  // of each routed expert
  double vectors = 0;                // norms and biases
  double adapters = 0;               // parameters
  double local_experts = 0;
  double kept = 0;            // bytes of a token until the backward pass
  double recomputed = 0;      // bytes of a token that are there again while the layer's backward pass runs
  double temporary = 0;       // bytes of a token during that pass
  double parameters() const;  // that all replicas hold, without adapters
  double expert_parameters() const;  // of the experts on this device
};

/// Elements of some matrices.
double elements(const std::vector<MatrixShape>& matrices);
/// Of the largest of them.
double largest(const std::vector<MatrixShape>& matrices);

/// A layer with routed experts, or a dense one.
LayerMemory layer_memory(const MemoryCase& c, bool with_experts);

/// The layers of a model, each kind counted once. They depend on no counts but those of the tensor, context
/// and expert groups.
struct LayerMemories {
  explicit LayerMemories(const MemoryCase& c);

  LayerMemory dense;
  LayerMemory sparse;  // as `dense` in models without experts
  /// Elements of weights of different shapes, of stages that hold one kind of layer or both.
  double dense_shapes = 0;
  double sparse_shapes = 0;
  double all_shapes = 0;
};

}  // namespace trainyard
