#include "trainyard/plan_traffic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collective/all_reduces.h"
#include "collective/all_to_alls.h"
#include "cost/compute_times.h"
#include "cost/cost_case.h"
#include "cost/exchange_times.h"
#include "cost/traffic.h"
#include "parallel/replicas.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "trainyard/plan.h"
#include "trainyard/rail.h"

namespace trainyard {
namespace {

/// Where the digits of a device's number stand. Same-layer placement: datacenter, domain of the stage, stage,
/// replica in the domain, context rank, tensor rank; with consecutive layers the stages stand inside the
/// domain.
struct Layout {
  Digit tensor;
  Digit context;
  Digit local;
  Digit pipeline;
  Digit peer;
  Digit datacenter;
  std::int64_t devices = 1;

  explicit Layout(const MappingPlan& m) {
    const bool same_layer = m.placement == Placement::same_layer;
    const std::pair<Digit*, std::int64_t> fastest_first[] = {
        {&tensor, m.tensor},
        {&context, m.context},
        {same_layer ? &local : &pipeline, same_layer ? m.local_replicas : m.pipeline},
        {same_layer ? &pipeline : &local, same_layer ? m.pipeline : m.local_replicas},
        {&peer, m.peer_domains / m.domains_per_group},
        {&datacenter, m.datacenters}};
    for (const auto& [digit, size] : fastest_first) {
      *digit = {devices, size};
      devices *= size;
    }
  }
};

/// To how many others a member of a group sends.
double receivers_of_member(TrafficPattern pattern, const std::vector<Digit>& digits) {
  if (pattern != TrafficPattern::all) return 1;
  double members = 1;
  for (const Digit& digit : digits) members *= real(digit.size);
  return members - 1;
}

class PlanTraffic {
 public:
  explicit PlanTraffic(const Plan& plan) : plan_(plan), m_(plan.mapping), layout_(plan.mapping) {
    matrix_.devices = layout_.devices;
    matrix_.domain_devices = domain_devices();
    passes_ = real(m_.layers_per_stage) * real(m_.microbatches);
    expert_layers_ = real(most_sparse_layers(plan.model.shape, stage_cut(m_)));
    stages_ = holds_two_stages(plan.scenario.step.schedule, m_.pipeline) ? 2 : 1;
    const CostCase costs(plan.scenario, plan.model);
    exchanged_layers_ = exchanged_layers(costs, m_);
    const bool repeats = repeats_gathers(plan.scenario, costs.software, m_);
    const double all = real(m_.microbatches);
    // Steps by other models than measured constants gather for each microbatch and sum once.
    gathers_ = !costs.calibration || repeats ? all : stages_;
    scatters_ = costs.calibration && repeats ? all / stages_ : 1;
  }

  TrafficMatrix matrix() {
    const CommunicationPlan& c = plan_.communication;
    add_collective(TrafficKind::tensor, "tensor parallelism", all_reduce_of(c.tensor_algorithm).traffic,
                   {layout_.tensor}, tensor_bytes());
    add_ring(TrafficKind::context, "context parallelism", {layout_.context},
             c.context_volume * (kContextPasses * passes_));
    add_pipeline();
    add_expert();
    for (const GradientStage& stage : c.gradient.stages) add_gradient(stage);
    if (c.weight_shard.si() > 0) add_gather();
    return std::move(matrix_);
  }

 private:
  // Keys and values pass forward; they and their gradients backward.
  static constexpr double kContextPasses = 3;

  /// Domains hold whole replicas of a stage, whole pipelines, or as many stages as fit.
  std::int64_t domain_devices() const {
    const std::int64_t group = m_.tensor * m_.context;
    if (m_.placement == Placement::same_layer) return group * m_.local_replicas / m_.domains_per_group;
    if (m_.groups_per_domain < m_.pipeline) return group * m_.groups_per_domain;
    return group * m_.pipeline * m_.local_replicas;
  }

  void add(TrafficKind kind, std::string name, TrafficPattern pattern, std::vector<Digit> digits,
           Bytes pair) {
    std::erase_if(digits, [](const Digit& digit) { return digit.size < 2; });
    if (digits.empty() || pair.si() <= 0) return;
    matrix_.classes.push_back({std::move(name), pattern, std::move(digits), pair, kind});
  }

  /// Everything that a member sends goes to the next one.
  void add_ring(TrafficKind kind, std::string name, std::vector<Digit> digits, Bytes sent) {
    add(kind, std::move(name), TrafficPattern::ring, std::move(digits), sent);
  }

  /// Spread over those to whom a member sends.
  void add_collective(TrafficKind kind, std::string name, TrafficPattern pattern, std::vector<Digit> digits,
                      Bytes sent) {
    const Bytes pair = sent / receivers_of_member(pattern, digits);
    add(kind, std::move(name), pattern, std::move(digits), pair);
  }

  /// Two passes of ring all-reduces, up to three under recomputation, and the router's gradient.
  Bytes tensor_bytes() const {
    const CommunicationPlan& c = plan_.communication;
    const double passes = 2 + recomputing_share(plan_.scenario, plan_.model) *
                                  repeated_tensor_share(plan_.scenario, plan_.model, c);
    const double share = 2 * (real(m_.tensor) - 1) / real(m_.tensor);
    return (c.tensor_volume * passes + c.router_gradient) * (share * passes_);
  }

  /// With interleaved stages a microbatch also goes from the last device back to the first, once fewer than
  /// there are virtual stages.
  void add_pipeline() {
    const Bytes volume = plan_.communication.pipeline_volume * real(m_.microbatches);
    add(TrafficKind::pipeline, "pipeline", TrafficPattern::line, {layout_.pipeline},
        volume * real(m_.virtual_stages));
    add(TrafficKind::pipeline, "pipeline, last stage to first", TrafficPattern::ends, {layout_.pipeline},
        volume * (real(m_.virtual_stages) - 1));
  }

  /// Those that share one set of experts: tensor ranks with experts of their own, then context ranks, then
  /// replicas, first inside a domain. Where the numbers do not divide, all of that level: the bytes are those
  /// of the plan, spread over more pairs.
  std::vector<Digit> expert_digits() const {
    std::vector<Digit> digits;
    std::int64_t left = m_.expert;
    const Digit ranks = {layout_.tensor.stride * m_.expert_tensor, m_.expert_ranks()};
    const Digit context = m_.experts_on_context ? layout_.context : Digit{layout_.context.stride, 1};
    for (const Digit& digit : {ranks, context, layout_.local, layout_.peer, layout_.datacenter}) {
      if (left < 2) break;
      const bool part = left < digit.size && digit.size % left == 0;
      digits.insert(digits.begin(), part ? Digit{digit.stride, left} : digit);
      left = (left + digit.size - 1) / digit.size;
    }
    return digits;
  }

  /// Two all-to-alls a pass.
  void add_expert() {
    if (m_.expert < 2) return;
    constexpr double kAllToAlls = 4;
    std::vector<Digit> digits = expert_digits();
    const Bytes sent =
        plan_.communication.expert_volume * (kAllToAlls * expert_layers_ * real(m_.microbatches));
    add_collective(TrafficKind::expert, "expert all-to-all",
                   all_to_all_of(plan_.communication.expert_algorithm).traffic, std::move(digits), sent);
  }

  /// Rings over all replicas; those of experts, which skip the members of an expert group, are counted with
  /// them.
  void add_gradient(const GradientStage& stage) {
    const Bytes of_experts = stage.sent_of_experts * (stages_ * expert_layers_ * scatters_);
    // Where experts are counted with the rest, layers without them send less.
    const bool apart = stage.sent_of_experts.si() > 0;
    const double layers = apart ? stages_ * real(m_.layers_per_stage) : exchanged_layers_;
    const Bytes sent = (stage.sent - stage.sent_of_experts) * (layers * scatters_) + of_experts;
    if (stage.network == NetworkLevel::wide_area) return add_wide_area(stage, sent);
    std::vector<Digit> digits = {layout_.peer};
    if (plan_.communication.gradient.kind == GradientExchange::flat) {
      digits = {layout_.datacenter, layout_.peer, layout_.local, layout_.context};
    } else if (stage.network == NetworkLevel::scale_up) {
      digits = {layout_.local, layout_.context};
    }
    const TrafficPattern pattern = all_reduce_of(stage.algorithm).traffic;
    add_collective(TrafficKind::gradient, stage.name, pattern, digits, sent - of_experts);
    if (of_experts.si() <= 0) return;
    if (digits.size() > 1) digits.push_back({layout_.tensor.stride * m_.expert_devices(), m_.expert_sets()});
    add_collective(TrafficKind::gradient, stage.name + ", experts", pattern, std::move(digits), of_experts);
  }

  /// Datacenters send to every other one at once, in one step or in two (collective/).
  void add_wide_area(const GradientStage& stage, Bytes sent) {
    const double others = real(m_.datacenters) - 1;
    if (others > 0)
      add(TrafficKind::gradient, stage.name, TrafficPattern::all, {layout_.datacenter}, sent / others);
  }

  /// ZeRO-3: weights are gathered for both passes of each microbatch, or of the step, mostly over the
  /// scale-out network.
  void add_gather() {
    constexpr double kGathers = 2;
    const std::optional<std::int64_t> group = plan_.scenario.mapping.zero_group;
    const Bytes experts = plan_.communication.weight_shard_of_experts;
    add_gathers(
        sharing_groups(replica_groups(m_), group),
        (plan_.communication.weight_shard - experts) * (kGathers * real(m_.layers_per_stage) * gathers_), "",
        {});
    // Experts' copies skip the members of an expert group, and are counted with them.
    add_gathers(sharing_expert_groups(m_, group), experts * (kGathers * expert_layers_ * gathers_),
                ", experts", {{layout_.tensor.stride * m_.expert_devices(), m_.expert_sets()}});
  }

  /// Among so many copies, the nearest first; `sets` on the ranks of a replica.
  void add_gathers(const ReplicaGroups& groups, Bytes weights, const std::string& what,
                   const std::vector<Digit>& sets) {
    const double peers = real(groups.peers);
    const double copies = real(groups.local);
    const bool part = groups.peers < layout_.peer.size && layout_.peer.size % groups.peers == 0;
    add_ring(TrafficKind::weights, "weights, between domains" + what,
             {part ? Digit{layout_.peer.stride, groups.peers} : layout_.peer},
             weights * ((peers - 1) / peers / copies));
    std::vector<Digit> inside = {layout_.local, layout_.context};
    inside.insert(inside.end(), sets.begin(), sets.end());
    add_ring(TrafficKind::weights, "weights, in the domain" + what, std::move(inside),
             weights * ((copies - 1) / copies));
  }

  const Plan& plan_;
  const MappingPlan& m_;
  Layout layout_;
  double passes_ = 1;
  double stages_ = 1;            // that a device holds
  double exchanged_layers_ = 1;  // in usual ones
  double gathers_ = 1;           // of weights before a pass, in a step
  double scatters_ = 1;          // of gradients
  double expert_layers_ = 1;     // of the stage that holds most with experts
  TrafficMatrix matrix_;
};

}  // namespace

TrafficMatrix traffic_of(const Plan& plan) { return PlanTraffic(plan).matrix(); }

TrafficMatrix traffic_of(const RailCase& r, double model_group) {
  const auto group = static_cast<std::int64_t>(model_group);
  const auto domain = static_cast<std::int64_t>(r.domain);
  const auto gpus = static_cast<std::int64_t>(r.gpus);
  const Bytes gradients = 2 * r.layers * r.block;
  const Bytes activations(r.layers * r.collective_rounds * r.batch_tokens * r.hidden * r.activation_bytes);
  TrafficMatrix matrix;
  matrix.devices = gpus / domain * domain;
  matrix.domain_devices = domain;
  const auto add = [&](TrafficKind kind, std::string name, Digit digit, Bytes pair) {
    if (digit.size > 1) matrix.classes.push_back({std::move(name), TrafficPattern::all, {digit}, pair, kind});
  };
  add(TrafficKind::tensor, "model parallelism", {1, group}, activations / r.gpus);
  add(TrafficKind::gradient, "gradients, second stage", {group, domain / group}, gradients / r.domain);
  add(TrafficKind::gradient, "gradients, first stage", {domain, gpus / domain}, gradients / r.gpus);
  return matrix;
}

}  // namespace trainyard
