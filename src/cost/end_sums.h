// What every optimizer waits for once the replicas have exchanged their gradients.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/networks.h"
#include "trainyard/units.h"

namespace trainyard {

struct CommunicationPlan;
struct CostCase;
struct MappingPlan;

/// An all-reduce that a step ends with.
struct EndSum {
  NetworkLevel network = NetworkLevel::scale_out;
  std::int64_t ranks = 2;
  Bytes sent;         // by a device
  double rounds = 0;  // delays, one after another
};

/// Gradients of an embedding that stands on the first and the last stage: an all-reduce of two devices
/// (Megatron-LM, core/distributed/finalize_model_grads.py). ZeRO 2 and 3 keep a shard of each gradient.
std::optional<EndSum> embedding_sum(const CostCase& costs, const MappingPlan& mapping,
                                    const CommunicationPlan& communication);

/// The norm of all gradients: an all-reduce of one number over the devices that hold different ones: a
/// replica's, or all where optimizers are divided (Megatron-LM, core/optimizer/clip_grads.py:
/// get_grad_norm_fp32). On the outermost network, which has the largest delay.
std::optional<EndSum> gradient_norm(const CostCase& costs, const MappingPlan& mapping,
                                    const CommunicationPlan& communication);

/// Those of them that the scenario has, one after the other.
Seconds end_sums(const CostCase& costs, const MappingPlan& mapping, const CommunicationPlan& communication);

}  // namespace trainyard
