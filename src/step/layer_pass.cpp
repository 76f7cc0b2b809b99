#include "step/layer_pass.h"

#include <algorithm>

#include "base/errors.h"
#include "collective/all_to_alls.h"
#include "collective/collective.h"
#include "cost/calibrated_compute.h"
#include "cost/exchange_times.h"
#include "facility/networks.h"
#include "parallel/parallel.h"
#include "scenario/scenario.h"

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
      : plan_(plan),
        c_(plan.communication),
        m_(plan.mapping),
        networks_(networks_of(plan.scenario)),
        measured_(calibration_in_force(plan.scenario) != nullptr) {}

  LayerPass pass() {
    add_compute();
    add_tensor();
    add_context();
    add_expert();
    add_pipeline();
    add_weights();
    add_exchange();
    add_embedding();
    add_gradient_norm();
    if (measured_) add_habits();
    return std::move(out_);
  }

 private:
  void add_compute() {
    const Scenario& scenario = plan_.scenario;
    out_.usual = pass_times(LayerKind::usual);
    out_.dense = plan_.model.dense_operators.empty() ? out_.usual : pass_times(LayerKind::dense);
    out_.ends = end_times(scenario, plan_.model, m_);
    out_.ends = {slow(out_.ends.first), slow(out_.ends.last), slow(out_.ends.each)};
    out_.optimizer = slow(optimizer_time(scenario, plan_.model, m_));
    out_.activations = m_.activation_layer;
    if (scenario.mapping.recompute == Recompute::full)
      out_.recomputed = activation_bytes(plan_.model.shape, scenario, m_.tensor, Recompute::selective);
  }

  PassTimes pass_times(LayerKind kind) const {
    const LayerTimes t = layer_times(plan_.scenario, plan_.model, m_, kind);
    return {slow(t.forward), slow(std::min(t.attention_forward, t.forward)), slow(t.recompute),
            slow(t.backward - t.recompute - t.backward_weight), slow(t.backward_weight)};
  }

  /// At the pace of the slowest server.
  Seconds slow(Seconds time) const { return time * plan_.step.straggling; }

  /// Habits of the program that calibrated times know.
  void add_habits() {
    const Software software = software_of(plan_.scenario);
    const std::int64_t zero = plan_.scenario.mapping.zero_stage;
    out_.blocking_sends = !software.hides_pipeline;
    out_.gathers_once = zero == 3 && !software.repeated_gathers;
    out_.gathers_ahead = (zero == 1 || zero == 2) && software.hides_gradients;
    const HeldParameters layer = held_by_layer(plan_.scenario, plan_.model, m_, LayerKind::usual);
    const HeldParameters dense = held_by_layer(plan_.scenario, plan_.model, m_, LayerKind::dense);
    const MeasuredCollectives rings(plan_.scenario, m_, *calibration_in_force(plan_.scenario));
    const Seconds one = exchange_time(rings, layer, 1, 1);
    if (one.si() > 0) {
      const HeldParameters embedding{plan_.model.parameters.embedding / real(m_.tensor), 0};
      out_.dense_exchange = exchange_time(rings, dense, 1, 1) / one;
      if (!plan_.scenario.training.adapter_rank)
        out_.first_stage_extra = exchange_time(rings, embedding, 1, 1) / one;
    }
    if (hides_wholly(plan_.scenario, Hidden::gradients)) out_.exchange.clear();
    add_contention(software);
    const double best = 1 / real(m_.virtual_stages);
    if (m_.virtual_stages > 1 && plan_.step.fill_share > best)
      out_.stall = slow((plan_.step.replica_time - plan_.step.pace) * (plan_.step.fill_share - best));
  }

  void add_contention(const Software& software) {
    const StepPlan& step = plan_.step;
    if (plan_.scenario.mapping.zero_stage == 3) {
      const Seconds scatter = plan_.communication.gradient.pipelined;
      out_.contention_forward = slow(kContention * std::min(c_.weight_gather, step.forward));
      out_.contention_backward = slow(kContention * std::min(c_.weight_gather + scatter, step.backward));
      const Seconds transfers = 2 * c_.weight_gather + scatter;
      slow_transfers(1 + kContention * std::min(1.0, (step.forward + step.backward) / transfers));
    } else if (software.hides_gradients && !hides_wholly(plan_.scenario, Hidden::gradients)) {
      const Seconds beside = step.gradient_sum + step.weights_return;
      out_.contention_exchange = slow(kContention * std::min(beside, step.pace));
    }
  }

  /// Compute slows the transfers beside it as they slow it: where they are the longer ones, that shows.
  void slow_transfers(double factor) {
    if (out_.weight_gather) out_.weight_gather->rate_share /= factor;
    for (PassTransfer& transfer : out_.exchange) transfer.rate_share /= factor;
  }

  void add_tensor() {
    if (m_.tensor == 1) return;
    const bool again = plan_.scenario.mapping.recompute == Recompute::full;
    const double count = c_.tensor_volume / c_.layer_input;
    PassTransfer forward = all_reduces(count, c_.layer_input);
    PassTransfer backward = all_reduces(count * (again ? 2 : 1), c_.layer_input);
    out_.after_forward.push_back(measured_ ? timed(forward, c_.tensor_forward) : forward);
    out_.after_backward.push_back(measured_ ? timed(backward, c_.tensor_backward) : backward);
    if (c_.router_gradient.si() > 0) out_.after_backward.push_back(all_reduces(1, c_.router_gradient));
  }

  /// So many all-reduces of a buffer in the tensor-parallel group, one after another.
  PassTransfer all_reduces(double count, Bytes buffer) const {
    const AllReduce algorithm =
        algorithm_for(plan_.scenario.assumptions.all_reduce, m_.tensor, buffer, networks_.scale_up);
    const CollectiveCost cost = all_reduce_cost(algorithm, m_.tensor);
    return {StepWork::tensor,           "tensor", StepResource::scale_up, m_.tensor,
            count * cost.sent * buffer, 1,        count * cost.rounds};
  }

  void add_context() {
    if (m_.context == 1) return;
    if (measured_) return add_measured_context();
    PassTransfer transfer{StepWork::context, "context", StepResource::scale_up, m_.context,
                          c_.context_volume, 1,         real(m_.context) - 1};
    out_.context_forward = transfer;
    transfer.bytes = 2 * transfer.bytes;  // keys and values again, and their gradients
    transfer.rounds = 2 * transfer.rounds;
    out_.context_backward = transfer;
  }

  /// What attention does not hide stands between layers.
  void add_measured_context() {
    const double domain = real(plan_.facility.domain_devices);
    const bool inside = real(m_.tensor * m_.context) <= domain;
    const StepResource network = inside ? StepResource::scale_up : StepResource::scale_out;
    const PassTransfer transfer{StepWork::context, "context", network, m_.context, c_.context_volume, 1, 0};
    for (const auto& [time, after] : {std::pair{c_.context_forward, &out_.after_forward},
                                      std::pair{c_.context_backward, &out_.after_backward}}) {
      if (time.si() > 0) after->push_back(at_most_full(timed(transfer, time)));
    }
  }

  /// A transfer that is mostly hidden shows the bytes that the rest of its time carries.
  static PassTransfer at_most_full(PassTransfer transfer) {
    if (transfer.rate_share <= 1) return transfer;
    transfer.bytes = transfer.bytes / transfer.rate_share;
    transfer.rate_share = 1;
    return transfer;
  }

  /// Dispatch and combine. Those over two networks are one transfer on the outer one that takes their time.
  void add_expert() {
    if (m_.expert == 1) return;
    constexpr int kBoth = 2;
    const bool outside = c_.expert_outside.si() > 0;
    PassTransfer transfer{StepWork::expert,
                          "expert all-to-all",
                          outside ? StepResource::scale_out : StepResource::scale_up,
                          m_.expert,
                          kBoth * (outside ? c_.expert_outside : c_.expert_inside),
                          outside ? plan_.scenario.network.expert_share : 1,
                          kBoth * all_to_all_cost(c_.expert_algorithm, m_.expert).rounds,
                          kBoth};
    if (outside && all_to_all_of(c_.expert_algorithm).on_both_networks) {
      transfer.rounds = 0;
      transfer = timed(transfer, c_.expert_forward);
    }
    PassTransfer backward = transfer;
    if (measured_) {
      // A schedule that pairs passes hides all-to-alls by itself.
      const bool paired = plan_.scenario.step.schedule == PipelineSchedule::dualpipe;
      const double exposed = paired ? 1 : c_.expert_exposed;
      transfer.rounds = backward.rounds = 0;
      transfer = at_most_full(timed(transfer, c_.expert_forward * exposed));
      backward = at_most_full(timed(backward, c_.expert_backward * exposed));
    }
    out_.after_forward.push_back(transfer);
    out_.after_backward.push_back(backward);
  }

  void add_pipeline() {
    out_.to_next_stage = {
        StepWork::pipeline, "pipeline", StepResource::scale_up, 2, c_.pipeline_volume, 1, 1};
    out_.to_next_domain = out_.to_next_stage;
    out_.to_next_domain.network = StepResource::scale_out;
    out_.to_next_domain.rate_share = plan_.scenario.network.pipeline_share;
    if (!measured_ || m_.pipeline == 1) return;
    const MeasuredCollectives collectives(plan_.scenario, m_, *calibration_in_force(plan_.scenario));
    out_.to_next_stage.rounds = out_.to_next_domain.rounds = 0;
    out_.to_next_stage = timed(out_.to_next_stage, collectives.point_to_point(c_.pipeline_volume, true));
    out_.to_next_domain = timed(out_.to_next_domain, collectives.point_to_point(c_.pipeline_volume, false));
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
      if (stage.sent.si() <= 0 || stage.time.si() <= 0) continue;
      const PassTransfer transfer{
          StepWork::gradient, stage.name, resource(stage.network), stage.peers, stage.sent, 1, 0,
          stage.passes,       stage.delay};
      out_.exchange.push_back(timed(transfer, stage.time - stage.delay));
    }
  }

  /// An all-reduce of two devices (Megatron-LM, core/distributed/finalize_model_grads.py). ZeRO 2 and 3 keep
  /// a shard of each gradient.
  void add_embedding() {
    const Scenario& scenario = plan_.scenario;
    const ModelShape& shape = plan_.model.shape;
    const bool ends = scenario.assumptions.embedding_placement == EmbeddingPlacement::ends;
    if (!shape.tied_embeddings || !ends || m_.pipeline == 1) return;
    const double shards = scenario.mapping.zero_stage >= 2 ? real(replica_groups(m_).total()) : 1;
    const double parameters = real(shape.vocabulary) * real(shape.hidden) / real(m_.tensor);
    const Bytes buffer(parameters * bytes_of(exchanged_gradients(scenario)) / shards);
    const StepResource network = c_.pipeline_in_domain ? StepResource::scale_up : StepResource::scale_out;
    out_.embedding = all_reduce("embedding gradients", network, 2, buffer);
  }

  /// An all-reduce of one number over the devices that hold different gradients: a replica's, or all where
  /// optimizers are divided (Megatron-LM, core/optimizer/clip_grads.py: get_grad_norm_fp32). On the outermost
  /// network, which has the largest delay.
  void add_gradient_norm() {
    constexpr Bytes kNumber(4);
    const bool divided = plan_.scenario.mapping.zero_stage >= 1;
    const std::int64_t ranks = divided ? m_.devices_used : m_.tensor * m_.pipeline;
    if (ranks == 1) return;
    const std::int64_t sites = divided ? replica_groups(m_).datacenters : 1;
    const bool inside =
        divided ? m_.devices_used <= m_.tensor * m_.context * m_.groups_per_domain : replica_in_domain();
    const StepResource network = inside ? StepResource::scale_up : StepResource::scale_out;
    out_.gradient_norm = sites > 1 ? all_reduce("gradient norm", StepResource::wide_area, sites, kNumber)
                                   : all_reduce("gradient norm", network, ranks, kNumber);
  }

  bool replica_in_domain() const { return m_.pipeline == 1 || c_.pipeline_in_domain; }

  PassTransfer all_reduce(const char* name, StepResource network, std::int64_t ranks, Bytes buffer) const {
    const AllReduce algorithm =
        algorithm_for(plan_.scenario.assumptions.all_reduce, ranks, buffer, rate(network));
    const CollectiveCost cost = all_reduce_cost(algorithm, ranks);
    return {StepWork::gradient, name, network, ranks, cost.sent * buffer, 1, cost.rounds};
  }

  /// The share of the network's rate at which the transfer takes this time at the slowest server's pace.
  PassTransfer timed(PassTransfer transfer, Seconds time) const {
    if (measured_) transfer.rounds = 0;
    transfer.rate_share = transfer.bytes / slow(time) / rate(transfer.network).rate;
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
  bool measured_;
  LayerPass out_;
};

}  // namespace

LayerPass layer_pass(const Plan& plan) { return LayerPassOf(plan).pass(); }

}  // namespace trainyard
