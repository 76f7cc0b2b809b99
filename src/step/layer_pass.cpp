#include "step/layer_pass.h"

#include <algorithm>

#include "base/errors.h"
#include "collective/collective.h"
#include "network/network.h"
#include "parallel/parallel.h"
#include "step/step.h"

namespace trainyard {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

StepResource resource(const std::string& network) {
  if (network == "scale_up") return StepResource::scale_up;
  if (network == "scale_out") return StepResource::scale_out;
  TY_ASSERT(network == "wide_area", "a stage is on one of the three networks");
  return StepResource::wide_area;
}

class LayerPassOf {
 public:
  explicit LayerPassOf(const Plan& plan)
      : plan_(plan), c_(plan.communication), m_(plan.mapping), networks_(networks_of(plan.scenario)) {}

  LayerPass pass() {
    add_compute();
    add_tensor();
    add_context();
    add_expert();
    add_pipeline();
    add_weights();
    add_exchange();
    return std::move(out_);
  }

 private:
  void add_compute() {
    const Scenario& scenario = plan_.scenario;
    const LayerTimes times = layer_times(scenario, plan_.model, m_);
    out_.forward = times.forward;
    out_.attention_forward = std::min(times.attention_forward, times.forward);
    out_.recompute = times.recompute;
    out_.backward_weight = times.backward_weight;
    out_.backward_input = times.backward - times.recompute - times.backward_weight;
    out_.head = head_time(scenario, plan_.model, m_);
    out_.head_spread = scenario.assumptions.embedding_placement == EmbeddingPlacement::spread;
    out_.optimizer = optimizer_time(scenario, m_);
    out_.activations = m_.activation_layer;
    if (scenario.mapping.recompute == Recompute::full)
      out_.recomputed = activation_bytes(plan_.model.shape, scenario, m_.tensor, Recompute::selective);
  }

  void add_tensor() {
    if (m_.tensor == 1) return;
    const bool again = plan_.scenario.mapping.recompute == Recompute::full;
    const double count = c_.tensor_volume / c_.layer_input;
    out_.after_forward.push_back(all_reduces(count, c_.layer_input));
    out_.after_backward.push_back(all_reduces(count * (again ? 2 : 1), c_.layer_input));
    if (c_.router_gradient.si() > 0) out_.after_backward.push_back(all_reduces(1, c_.router_gradient));
  }

  /// So many all-reduces of a buffer in the tensor-parallel group, one after another.
  PassTransfer all_reduces(double count, Bytes buffer) const {
    const AllReduce algorithm =
        algorithm_for(plan_.scenario.assumptions.all_reduce, m_.tensor, buffer, networks_.scale_up);
    const AllReduceCost cost = all_reduce_cost(algorithm, m_.tensor);
    return {StepWork::tensor,           "tensor", StepResource::scale_up, m_.tensor,
            count * cost.sent * buffer, 1,        count * cost.rounds};
  }

  void add_context() {
    if (m_.context == 1) return;
    PassTransfer transfer{
        StepWork::context, "context", StepResource::scale_up, m_.context, c_.context_volume, 1, 1};
    out_.context_forward = transfer;
    transfer.bytes = 2 * transfer.bytes;  // keys and values again, and their gradients
    transfer.rounds = 2;
    out_.context_backward = transfer;
  }

  /// Dispatch and combine.
  void add_expert() {
    if (m_.expert == 1) return;
    const bool in_domain = m_.expert <= m_.local_replicas;
    const PassTransfer transfer{StepWork::expert,
                                "expert all-to-all",
                                in_domain ? StepResource::scale_up : StepResource::scale_out,
                                m_.expert,
                                2 * c_.expert_volume,
                                in_domain ? 1 : plan_.scenario.network.expert_share,
                                2,
                                2};
    out_.after_forward.push_back(transfer);
    out_.after_backward.push_back(transfer);
  }

  void add_pipeline() {
    out_.to_next_stage = {
        StepWork::pipeline, "pipeline", StepResource::scale_up, 2, c_.pipeline_volume, 1, 1};
    out_.to_next_domain = out_.to_next_stage;
    out_.to_next_domain.network = StepResource::scale_out;
    out_.to_next_domain.rate_share = plan_.scenario.network.pipeline_share;
  }

  /// Two gathers on two networks, pipelined in small chunks, as one transfer on the outer network that takes
  /// their time.
  void add_weights() {
    if (c_.weight_gather.si() <= 0) return;
    const ReplicaGroups groups = replica_groups(m_);
    const bool outside = groups.peers > 1;
    const double ranks = real(outside ? groups.peers : groups.local);
    PassTransfer gather{StepWork::weights,
                        "weights",
                        outside ? StepResource::scale_out : StepResource::scale_up,
                        outside ? groups.peers : groups.local,
                        c_.weight_shard * ((ranks - 1) / ranks / (outside ? real(groups.local) : 1)),
                        1,
                        0};
    out_.weight_gather = timed(gather, c_.weight_gather);
  }

  void add_exchange() {
    const GradientPlan& gradient = c_.gradient;
    out_.exchange_shares_networks = plan_.scenario.assumptions.stage_overlap == StageOverlap::shared_network;
    for (const GradientStage& stage : gradient.stages) {
      if (stage.sent.si() <= 0) continue;
      const StepResource network = resource(stage.network);
      const Seconds delay = rate(network).delay;
      const PassTransfer transfer{StepWork::gradient,
                                  stage.name,
                                  network,
                                  stage.peers,
                                  stage.sent,
                                  1,
                                  delay.si() > 0 ? stage.delay / delay : 0,
                                  stage.passes};
      out_.exchange.push_back(timed(transfer, stage.time - stage.delay));
    }
  }

  /// The share of the network's rate at which the transfer takes this time.
  PassTransfer timed(PassTransfer transfer, Seconds time) const {
    transfer.rate_share = transfer.bytes / time / rate(transfer.network).rate;
    return transfer;
  }

  const NetworkRate& rate(StepResource network) const {
    if (network == StepResource::scale_up) return networks_.scale_up;
    return network == StepResource::scale_out ? networks_.scale_out : networks_.wide_area;
  }

  const Plan& plan_;
  const CommunicationPlan& c_;
  const MappingPlan& m_;
  Networks networks_;
  LayerPass out_;
};

}  // namespace

LayerPass layer_pass(const Plan& plan) { return LayerPassOf(plan).pass(); }

}  // namespace trainyard
