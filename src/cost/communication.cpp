#include <algorithm>
#include <numeric>
#include <optional>

#include "collective/collective.h"
#include "cost/calibrated_compute.h"
#include "cost/cost.h"
#include "cost/exchange_times.h"
#include "cost/measured_collectives.h"
#include "parallel/parallel.h"
#include "parallel/schedules.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

/// Fills a CommunicationPlan, one kind of traffic a function.
class Communicator {
 public:
  Communicator(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
               const LayerTimes& layer)
      : scenario_(scenario),
        model_(model),
        m_(mapping),
        layer_(layer),
        software_(software_of(scenario)),
        networks_(networks_of(scenario)) {
    if (const Calibration* calibration = calibration_in_force(scenario))
      measured_.emplace(scenario, mapping, *calibration);
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
    add_repeated();
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
    out_.tensor_forward = all_reduces * one_all_reduce();
    out_.tensor_backward = out_.tensor_forward;
    if (measured_) out_.tensor_exposed = exposed_tensor(measured_->calibration());
    add_router_gradient();
  }

  /// Where a scenario states what its program does unasked, somebody tuned the pieces.
  double exposed_tensor(const Calibration& calibration) const {
    if (!software_.hides_tensor) return 1;
    if (hides_wholly(scenario_, Hidden::tensor)) return 0;
    const bool unasked = scenario_.catalog->software.at(software_key(scenario_)).hides_tensor;
    return unasked && hides(scenario_, Hidden::tensor) ? calibration.exposed_pieces
                                                       : calibration.exposed_async;
  }

  /// A gather and a scatter under sequence parallelism.
  Seconds one_all_reduce() const {
    if (!measured_)
      return all_reduce_time(m_.tensor, out_.layer_input, networks_.scale_up, out_.tensor_algorithm);
    const double calls = scenario_.mapping.sequence_parallel ? 2 : 1;
    const Seconds starts = calls * measured_->latency();
    // Measured collectives are rings of libraries, delays of their steps included.
    const AllReduce algorithm = out_.tensor_algorithm;
    const bool ring = algorithm == AllReduce::ring && measured_->knows(measured_->tensor_group());
    if (algorithm == AllReduce::bandwidth || ring)
      return 2 * measured_->ring(measured_->tensor_group(), out_.layer_input) + starts;
    NetworkRate reached = networks_.scale_up;
    reached.rate = reached.rate * measured_->calibration().scale_up;
    return all_reduce_time(m_.tensor, out_.layer_input, reached, algorithm) + starts;
  }

  /// What recomputation sends again: everything of a forward pass, or the part that some programs repeat.
  void add_repeated() {
    const Recompute kind = scenario_.mapping.recompute;
    const bool partial = measured_ && kind == Recompute::selective && software_.partial_recompute;
    if (kind != Recompute::full && !partial) return;
    const double again =
        (partial ? measured_->calibration().partial_recompute : 1) * recomputing_share(scenario_, model_);
    out_.tensor_backward += again * out_.tensor_forward;
    if (!measured_) return;
    out_.context_backward += again * out_.context_forward;
    out_.expert_backward += again * out_.expert_forward;
  }

  /// The router is replicated on every device of the group (HotNets '24 section 5): its gradient is summed
  /// there.
  void add_router_gradient() {
    if (model_.parameters.router <= 0 || measured_) return;
    out_.router_gradient = Bytes(model_.parameters.router * bytes_of(exchanged_gradients(scenario_)));
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
    out_.pipeline_transfer = measured_
                                 ? measured_->point_to_point(out_.pipeline_volume, out_.pipeline_in_domain)
                                 : transfer_time(out_.pipeline_volume, network);
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
    if (measured_) return add_measured_context(sequence / real(m_.context), all);
    out_.context_volume = all * ((real(m_.context) - 1) / real(m_.context));
    const Seconds time = scatter_cost(AllReduce::ring, m_.context).time(all, networks_.scale_up);
    out_.context_forward = std::max(Seconds(0), time - layer_.attention_forward);
    out_.context_backward = std::max(Seconds(0), 2 * time - 2 * layer_.attention_forward);
  }

  /// Ranks exchange queries, keys, values and results; or gather keys and values; or pass them around a ring
  /// beside the attention kernels.
  void add_measured_context(double tokens, Bytes all_keys) {
    const MeasuredCollectives& c = *measured_;
    const RankGroup group = c.context_group();
    out_.context_volume = all_keys * ((group.ranks - 1) / group.ranks);
    if (software_.context_exchange == ContextExchange::ring && software_.hides_context) {
      const bool inside = group.ranks <= group.ranks_per_domain;
      const Seconds ring = c.ring({group.ranks, inside ? group.ranks : 1, 1}, all_keys);
      out_.context_forward = beyond(ring, layer_.attention_forward) + c.latency();
      out_.context_backward = beyond(ring, layer_.attention_backward) + c.latency();
      return;
    }
    if (software_.context_exchange == ContextExchange::all_gather) {
      out_.context_forward = out_.context_backward = c.ring(group, all_keys) + c.latency();
      return;
    }
    constexpr double kCalls = 4;  // queries, keys, values and the result
    const ModelShape& s = model_.shape;
    const double head = 2 * real(s.head_size_or_even()) / real(m_.tensor);
    const double elements = tokens * head * real(s.kv_heads_or_all() + s.heads);
    const Bytes bytes(c.calibration().context_exchange * element_ * elements);
    out_.context_forward = out_.context_backward = c.all_to_all(group, bytes) + (kCalls - 1) * c.latency();
  }

  static Seconds beyond(Seconds needed, Seconds hidden) { return std::max(Seconds(0), needed - hidden); }

  /// Tokens go to their experts and come back: two all-to-alls a pass, over replicas that share one set of
  /// experts.
  void add_expert() {
    if (m_.expert == 1) return;
    const Bytes sent = out_.layer_input * (real(model_.shape.experts_per_token) / real(m_.tensor));
    // Dispatch and combine may differ in format: what stands for each is their mean.
    const PrecisionInput& precision = scenario_.precision;
    const double back = bytes_of(precision.combine.value_or(precision.communication));
    const Bytes routed = sent * ((element_ + back) / (2 * element_));
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
    out_.expert_forward = 2 * ((measured_ ? measured_exchange(exchange, routed) : exchange.time) +
                               forwarding(exchange.outside));
    out_.expert_backward = out_.expert_forward;
    const bool beside =
        hides(scenario_, Hidden::expert) || schedule_rules(scenario_.step.schedule).pairs_passes;
    if (measured_ && beside) out_.expert_exposed = hides_wholly(scenario_, Hidden::expert) ? 0 : kContention;
  }

  /// Where a network joins equal ranks only, what is for another rank goes there inside the HB domain first.
  Seconds forwarding(Bytes outside) const {
    const double reached = measured_ ? measured_->calibration().all_to_all : 1;
    return outside * scenario_.network.expert_forwarded / (networks_.scale_up.rate * reached);
  }

  Seconds measured_exchange(const AllToAllPlan& plan, Bytes routed) const {
    const double share = scenario_.network.expert_share;
    if (scenario_.assumptions.all_to_all == AllToAll::bandwidth)
      return measured_->all_to_all(measured_->expert_group(), routed, share);
    const Calibration& c = measured_->calibration();
    return std::max(plan.inside / (networks_.scale_up.rate * c.all_to_all),
                    plan.outside / (networks_.scale_out.rate * (c.scale_out * share))) +
           measured_->latency();
  }

  void add_gradients() {
    const double element = bytes_of(exchanged_gradients(scenario_));
    out_.gradient_layer = Bytes(model_.parameters.layer * element);
    out_.gradient_chunk = out_.gradient_layer / real(replica_groups(m_).local);
    for (const GradientExchange kind : {GradientExchange::flat, GradientExchange::hierarchical_all_reduce,
                                        GradientExchange::hierarchical_reduce_scatter}) {
      GradientPlan plan;
      plan.kind = kind;
      const bool flat = kind == GradientExchange::flat;
      plan.stages = flat && library_rings(scenario_, m_) ? measured_rings() : exchange(kind, element);
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
    Networks networks = shared(scenario_.network.gradient_share);
    if (measured_) {
      networks.scale_up.rate = networks.scale_up.rate * measured_->calibration().scale_up;
      networks.scale_out.rate = networks.scale_out.rate * measured_->calibration().scale_out;
    }
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

  /// Rings over all replicas: an all-reduce; or, with divided optimizers, a sum and a gather of weights.
  std::vector<GradientStage> measured_rings() const {
    const HeldParameters held = held_by_layer(scenario_, model_, m_, LayerKind::usual);
    const double gradient = bytes_of(exchanged_gradients(scenario_));
    const std::int64_t zero = scenario_.mapping.zero_stage;
    if (zero == 0) return {ring_stage("ring all-reduce over all replicas", held, gradient, 2)};
    std::vector<GradientStage> stages = {
        ring_stage("ring reduce-scatter over all replicas", held, gradient, 1)};
    if (zero < 3) {
      stages.push_back(
          ring_stage("all-gather over all replicas", held, bytes_of(scenario_.precision.weights), 1));
      stages.back().gathers = true;
    }
    return stages;
  }

  GradientStage ring_stage(const char* name, const HeldParameters& held, double bytes, int passes) const {
    const RankGroup all = measured_->replicas();
    const bool leaves = all.ranks > all.ranks_per_domain;
    GradientStage stage;
    stage.name = name;
    stage.network = leaves ? NetworkLevel::scale_out : NetworkLevel::scale_up;
    stage.peers = static_cast<std::int64_t>(all.ranks);
    stage.bytes = Bytes((held.common + held.experts) * bytes);
    stage.passes = passes;
    stage.sent = stage.bytes * (passes * (all.ranks - 1) / all.ranks / (leaves ? all.interfaces : 1));
    stage.time = passes * exchange_time(*measured_, held, bytes, scenario_.network.gradient_share);
    if (all.ranks <= 1) stage.sent = Bytes(0);
    return stage;
  }

  const GradientPlan& chosen_gradient() const {
    const GradientExchange wanted = scenario_.assumptions.gradient_exchange;
    const GradientPlan* best = &out_.gradients.front();
    // What libraries run unless told otherwise.
    if (library_rings(scenario_, m_) && wanted == GradientExchange::best) return *best;
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
    const double element = bytes_of(scenario_.precision.weights);
    if (measured_) {
      const HeldParameters held = held_by_layer(scenario_, model_, m_, LayerKind::usual);
      out_.weight_shard = Bytes((held.common + held.experts) * element);
      out_.weight_gather = exchange_time(*measured_, held, element, scenario_.network.weights_share);
      return;
    }
    const DeviceParameters held = layer_parameters(model_, m_);
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
  Software software_;
  std::optional<MeasuredCollectives> measured_;  // where times are calibrated
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

BitRate tensor_bus_rate(const MappingPlan& m, const CommunicationPlan& c) {
  if (m.tensor < 2 || c.tensor_forward.si() <= 0) return BitRate(0);
  const double n = real(m.tensor);
  return bit_rate(c.tensor_volume * (2 * (n - 1) / n) / c.tensor_forward);
}

}  // namespace trainyard
