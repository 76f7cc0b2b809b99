// A mapping and its networks into communication, the times of a layer and of a training step.
#pragma once

#include <string>
#include <vector>

#include "facility/networks.h"
#include "trainyard/plan.h"

namespace trainyard {

struct Scenario;

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
  double recompute_share = 0;
};

/// Work of a microbatch outside of layers, forward and backward.
struct EndTimes {
  Seconds first;  // embedding, on the first stage
  Seconds last;   // output matrix and loss, on the last
  Seconds each;   // on every stage
};

/// Operator times: FLOP over the peak (`ideal`), the larger of FLOP over the reachable rate and bytes over
/// the reachable memory rate (`roofline`), or by shape and measured constants (`calibrated`,
/// operator_clock.h). Recomputation is part of the backward pass, or of the forward pass as
/// `assumptions.attention_recompute` says.
LayerTimes layer_times(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                       LayerKind kind = LayerKind::usual);

/// Part of the layers that recompute (mapping.recompute_layers).
double recomputing_share(const Scenario& scenario, const ModelPlan& model);

/// Embedding, output matrix, loss; spread over all stages where assumptions.embedding_placement says so.
EndTimes end_times(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping);

/// Reading and writing every model state once.
Seconds optimizer_time(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping);

/// Volumes, times and peers of everything that is sent for one layer and microbatch.
CommunicationPlan plan_communication(const Scenario& scenario, const ModelPlan& model,
                                     const MappingPlan& mapping, const LayerTimes& layer);

/// Bus bandwidth of tensor parallelism's all-reduces, as nccl-tests count it: 2 (n-1)/n of the bytes over the
/// time; 0 without it.
BitRate tensor_bus_rate(const MappingPlan& mapping, const CommunicationPlan& communication);

/// Says that launches on the host set the pace of the layers; empty where they do not.
std::string bound_by_host(const StepPlan& step);

/// Times of a step by both rules, utilization, and the length of the training run.
StepPlan plan_step(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                   const CommunicationPlan& communication, const LayerTimes& layer);

/// Share of a hidden transfer by which it slows the compute beside it: its kernels take processors and memory
/// rate. By the runs of llm-foundry (docs/validation.md).
inline constexpr double kContention = 0.35;

/// The peak rate that layer times use.
FlopRate peak_rate(const Scenario& scenario);

}  // namespace trainyard
