// What one pass through one layer costs: the only place from which a step's graph takes durations and bytes.
#pragma once

#include <optional>
#include <vector>

#include "cost/compute_times.h"
#include "trainyard/step_timeline.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

/// A transfer that a device of the class makes.
struct PassTransfer {
  StepWork work = StepWork::tensor;
  std::string name;
  StepResource network = StepResource::scale_up;
  std::int64_t ranks = 2;
  Bytes bytes;  // that a device sends
  double rate_share = 1;
  double rounds = 1;     // delays of that network, one after another
  int passes = 1;        // over all other ranks: an all-reduce is two
  Seconds delay{0};      // besides: of stages that know their own
  bool gathers = false;  // what others have summed; under ZeRO 1 and 2, updated weights
};

/// Compute of one layer and microbatch.
struct PassTimes {
  Seconds forward;
  Seconds attention_forward;  // the part of it beside which context parallelism transfers
  Seconds recompute;
  Seconds backward_input;  // without recomputation
  Seconds backward_weight;
};

/// One layer and microbatch on one device of a stage. Compute times come from layer_times(), bytes from
/// plan_communication().
struct LayerPass {
  PassTimes usual;
  PassTimes dense;                // of a layer without experts, where others have some
  EndTimes ends;                  // of a microbatch, forward and backward
  Seconds optimizer;              // of a step
  bool blocking_sends = false;    // a stage waits until its output has left
  bool gathers_once = false;      // ZeRO 3: weights of the first microbatch serve all
  bool gathers_ahead = false;     // ZeRO 1 and 2: updated weights arrive beside the next step's first passes
  double first_stage_extra = 0;   // the embedding's gradients, in layers
  double last_stage_extra = 0;    // the output matrix's
  double ends_gathered = 1;       // bytes of these weights over a layer's, as they are gathered
  double dense_exchange = 1;      // gradients of a layer without experts, in usual layers
  double dense_gathered = 1;      // its weights, under ZeRO 3
  double embedding_gathered = 0;  // the embedding's, in layers
  double output_gathered = 0;     // the output matrix's
  Seconds contention_forward;     // of a layer, by gathers beside it
  Seconds contention_backward;
  Seconds contention_scatter;   // of a layer, by the sum of its gradients beside it
  Seconds contention_exchange;  // of a step, by exchanges beside compute
  Seconds stall;                // of a step: what a program loses of what interleaved stages could save
  std::vector<PassTransfer> after_forward;  // that the next layer waits for, one after another
  std::vector<PassTransfer> after_backward;
  std::optional<PassTransfer> context_forward;  // beside attention
  std::optional<PassTransfer> context_backward;
  std::optional<PassTransfer> weight_gather;  // before each pass, under ZeRO 3
  std::vector<PassTransfer> exchange;         // of gradients, stage after stage
  bool exchange_shares_networks = true;       // stages on one network take turns
  /// Of a step: gradients of an embedding of which the first and the last stage hold a copy, and the sum of
  /// the squares of all gradients.
  std::optional<PassTransfer> embedding;
  std::optional<PassTransfer> gradient_norm;
  PassTransfer to_next_stage;  // of a chunk's output or its gradient
  PassTransfer to_next_domain;
  Bytes activations;        // that a layer keeps for its backward pass
  Bytes dense_activations;  // that one without experts keeps, where others have some
  Bytes logits;             // that the output matrix holds besides
  Bytes recomputed;         // that recomputing a layer takes
};

LayerPass layer_pass(const Plan& plan);

}  // namespace trainyard
