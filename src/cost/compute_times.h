// A mapping into compute: of a layer, of both ends of the model, of the optimizer.
#pragma once

#include <cstdint>

#include "trainyard/units.h"

namespace trainyard {

struct CostCase;
struct MappingInput;
struct MappingPlan;
struct ModelPlan;
struct Operator;
struct Scenario;
struct Software;

/// Layers of a mixture of experts are of two kinds; of a dense model all are usual.
enum class LayerKind { usual, dense };

/// Compute of one layer and microbatch on one device.
struct LayerTimes {
  Seconds forward;
  Seconds backward;            // with what it computes again
  Seconds attention_forward;   // the part that context parallelism can hide transfers behind
  Seconds attention_backward;  // the same
  Seconds backward_weight;     // the part of the backward pass that nothing but the optimizer waits for
  Seconds recompute;           // the part of the backward pass that computes activations again
  Seconds host_wait;           // the part of both passes that waits for the host to launch kernels
  Seconds copies;  // the part of both around gathers and scatters: less with more replicas and stages
  double recompute_share = 0;
};

/// Work of a microbatch outside of layers, forward and backward.
struct EndTimes {
  Seconds first;   // embedding, on the first stage
  Seconds last;    // output matrix and loss, on the last
  Seconds each;    // on every stage
  Seconds copies;  // the part of `first` and `last` around gathers and scatters
};

/// Operator times: FLOP over the peak (`ideal`), the larger of FLOP over the reachable rate and bytes over
/// the reachable memory rate (`roofline`), or by shape and measured constants (`calibrated`,
/// operator_clock.h). Recomputation is part of the backward pass, or of the forward pass as
/// `assumptions.attention_recompute` says.
LayerTimes layer_times(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                       LayerKind kind = LayerKind::usual);

/// Part of the layers that recompute (mapping.recompute_layers).
double recomputing_share(const Scenario& scenario, const ModelPlan& model);

/// Whether the backward pass computes an operator again: all, or those of mapping.recompute_modules, but not
/// what nothing reads where the program leaves that out.
bool recomputes(const MappingInput& mapping, const Software& software, const Operator& op);

/// Embedding, output matrix, loss on the first and the last stage; whatever the pipeline.
EndTimes whole_ends(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping);

/// The same as the stages hold them: spread over all where assumptions.embedding_placement says so.
EndTimes ends_of_stages(const EndTimes& whole, const Scenario& scenario, std::int64_t pipeline);

/// Reading and writing every model state once.
Seconds optimizer_time(const CostCase& c, const MappingPlan& mapping);

/// The peak rate that layer times use.
FlopRate peak_rate(const Scenario& scenario);

}  // namespace trainyard
