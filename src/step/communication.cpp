#include <algorithm>
#include <numeric>

#include "collective/collective.h"
#include "parallel/parallel.h"
#include "step/step.h"

namespace trainyard {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

/// Fills a CommunicationPlan, one kind of traffic a function.
class Communicator {
 public:
  Communicator(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
               const LayerTimes& layer)
      : scenario_(scenario), model_(model), m_(mapping), layer_(layer), networks_(networks_of(scenario)) {
    const double tokens = real(m_.microbatch) * real(model.shape.sequence) / real(m_.context);
    element_ = bytes_of(scenario.precision.communication);
    options_ = {scenario.assumptions.exchange_in_domain, scenario.assumptions.exchange_between_domains,
                scenario.mapping.zero_stage >= 3};
    out_.layer_input = Bytes(tokens * real(model.shape.hidden) * element_);
    out_.scale_up_rate = bit_rate(networks_.scale_up.rate);
    out_.scale_out_rate = bit_rate(networks_.scale_out.rate);
    out_.wide_area_rate = bit_rate(networks_.wide_area.rate);
  }

  CommunicationPlan plan() {
    add_tensor();
    add_pipeline();
    add_context();
    add_expert();
    add_gradients();
    add_weight_gather();
    return std::move(out_);
  }

 private:
  /// The networks with the share of the scale-out rate that the topology leaves to one kind of traffic.
  Networks shared(double scale_out_share) const {
    Networks out = networks_;
    out.scale_out.rate = out.scale_out.rate * scale_out_share;
    return out;
  }

  /// Two all-gathers and two reduce-scatters a pass, counted as two ring all-reduces of the layer's input
  /// (Narayanan et al. 2021, section 3.2; HotNets '24 section 4.1); a parallel block needs one. Full
  /// recomputation repeats the forward pass's.
  void add_tensor() {
    if (m_.tensor == 1) return;
    const double all_reduces = model_.shape.parallel_block ? 1 : 2;
    out_.tensor_volume = out_.layer_input * all_reduces;
    out_.tensor_algorithm =
        algorithm_for(scenario_.assumptions.all_reduce, m_.tensor, out_.layer_input, networks_.scale_up);
    out_.tensor_forward =
        all_reduces * all_reduce_time(m_.tensor, out_.layer_input, networks_.scale_up, out_.tensor_algorithm);
    out_.tensor_backward = out_.tensor_forward;
    if (scenario_.mapping.recompute == Recompute::full) out_.tensor_backward += out_.tensor_forward;
    add_router_gradient();
  }

  /// The router is replicated on every device of the group (HotNets '24 section 5): its gradient is summed
  /// there.
  void add_router_gradient() {
    if (model_.parameters.router <= 0) return;
    out_.router_gradient = Bytes(model_.parameters.router * bytes_of(scenario_.precision.gradient_exchange));
    out_.tensor_backward += all_reduce_time(m_.tensor, out_.router_gradient, networks_.scale_up,
                                            scenario_.assumptions.all_reduce);
  }

  /// Each device sends its part of the layer's output to the device of the same rank in the next stage.
  void add_pipeline() {
    if (m_.pipeline == 1) return;
    out_.pipeline_volume = out_.layer_input / real(m_.tensor);
    const bool consecutive = m_.placement == Placement::consecutive_layers;
    out_.pipeline_in_domain = consecutive && m_.groups_per_domain >= m_.pipeline;
    const Networks networks = shared(scenario_.network.pipeline_share);
    const NetworkRate& network = out_.pipeline_in_domain ? networks.scale_up : networks.scale_out;
    out_.pipeline_transfer = transfer_time(out_.pipeline_volume, network);
  }

  /// Ring attention (Liu et al. 2023): keys and values of the other ranks pass by while their scores are
  /// computed.
  void add_context() {
    if (m_.context == 1) return;
    const ModelShape& s = model_.shape;
    const double sequence = real(m_.microbatch) * real(s.sequence);
    const double width = s.attention == AttentionKind::latent
                             ? real(s.kv_lora_rank + s.rope_head_size)
                             : 2 * real(s.kv_heads_or_all()) * real(s.head_size_or_even()) / real(m_.tensor);
    const Bytes all(sequence * width * element_);
    out_.context_volume = all * ((real(m_.context) - 1) / real(m_.context));
    const Seconds time = scatter_cost(AllReduce::ring, m_.context).time(all, networks_.scale_up);
    out_.context_forward = std::max(Seconds(0), time - layer_.attention_forward);
    out_.context_backward = std::max(Seconds(0), 2 * time - 2 * layer_.attention_forward);
  }

  /// Tokens go to their experts and come back: two all-to-alls a pass, over replicas that share one set of
  /// experts.
  void add_expert() {
    if (m_.expert == 1) return;
    const Bytes routed = out_.layer_input * (real(model_.shape.experts_per_token) / real(m_.tensor));
    const Networks networks = shared(scenario_.network.expert_share);
    const std::int64_t local = std::gcd(m_.expert, m_.local_replicas);
    const bool in_domain = m_.expert <= m_.local_replicas;
    const AllToAllPlan exchange =
        all_to_all_plan(scenario_.assumptions.all_to_all, in_domain ? m_.expert : local,
                        in_domain ? 1 : m_.expert / local, routed, networks);
    out_.expert_algorithm = exchange.algorithm;
    out_.expert_volume = routed * ((real(m_.expert) - 1) / real(m_.expert));
    out_.expert_inside = exchange.inside;
    out_.expert_outside = exchange.outside;
    out_.expert_forward = 2 * exchange.time;
    out_.expert_backward = out_.expert_forward;
  }

  void add_gradients() {
    const double element = bytes_of(scenario_.precision.gradient_exchange);
    out_.gradient_layer = Bytes(model_.parameters.layer * element);
    out_.gradient_chunk = out_.gradient_layer / real(replica_groups(m_).local);
    for (const GradientExchange kind : {GradientExchange::flat, GradientExchange::hierarchical_all_reduce,
                                        GradientExchange::hierarchical_reduce_scatter}) {
      GradientPlan plan;
      plan.kind = kind;
      plan.stages = exchange(kind, element);
      plan.pipelined = pipelined_time(plan.stages, scenario_.assumptions.stage_overlap);
      plan.exposed = std::max(Seconds(0), plan.pipelined - layer_.backward);
      out_.gradients.push_back(std::move(plan));
    }
    out_.gradient = chosen_gradient();
  }

  /// Under expert parallelism experts have fewer copies than the rest of the layer, and so larger chunks: two
  /// exchanges, one after the other.
  std::vector<GradientStage> exchange(GradientExchange kind, double element) const {
    const DeviceParameters held = layer_parameters(model_, m_);
    const double together = held.common + (m_.expert == 1 ? held.experts : 0);
    const Networks networks = shared(scenario_.network.gradient_share);
    auto stages = gradient_stages(kind, replica_groups(m_), Bytes(together * element), networks, options_);
    if (m_.expert == 1) return stages;
    const auto experts =
        gradient_stages(kind, expert_groups(m_), Bytes(held.experts * element), networks, options_);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      stages[i].bytes += experts[i].bytes;
      stages[i].sent += experts[i].sent;
      stages[i].time += experts[i].time;
      stages[i].delay += experts[i].delay;
    }
    return stages;
  }

  const GradientPlan& chosen_gradient() const {
    const GradientExchange wanted = scenario_.assumptions.gradient_exchange;
    const GradientPlan* best = &out_.gradients.front();
    for (const GradientPlan& plan : out_.gradients) {
      if (plan.kind == wanted) return plan;
      if (plan.pipelined < best->pipelined) best = &plan;
    }
    return *best;
  }

  /// ZeRO-3: a device gathers its layer's weights before each pass; the next layer's gather overlaps this
  /// one's work.
  void add_weight_gather() {
    if (scenario_.mapping.zero_stage < 3) return;
    const DeviceParameters held = layer_parameters(model_, m_);
    const double element = bytes_of(scenario_.precision.weights);
    const StageOverlap overlap = scenario_.assumptions.stage_overlap;
    const Bytes common(held.common * element);
    const Bytes experts(held.experts * element);
    out_.weight_shard = common + experts;
    const Networks networks = shared(scenario_.network.weights_share);
    out_.weight_gather = gather_time(replica_groups(m_), common, networks, overlap, options_) +
                         gather_time(expert_groups(m_), experts, networks, overlap, options_);
  }

  const Scenario& scenario_;
  const ModelPlan& model_;
  const MappingPlan& m_;
  const LayerTimes& layer_;
  Networks networks_;
  ExchangeOptions options_;
  double element_ = 0;
  CommunicationPlan out_;
};

}  // namespace

CommunicationPlan plan_communication(const Scenario& scenario, const ModelPlan& model,
                                     const MappingPlan& mapping, const LayerTimes& layer) {
  return Communicator(scenario, model, mapping, layer).plan();
}

}  // namespace trainyard
