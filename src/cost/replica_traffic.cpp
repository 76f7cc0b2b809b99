#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "collective/collective.h"
#include "cost/exchange_phases.h"
#include "cost/exchange_times.h"
#include "cost/measured_collectives.h"
#include "cost/traffic.h"
#include "parallel/parallel.h"
#include "parallel/replicas.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

ExchangeOptions exchange_options(const Scenario& scenario, double delay_part = 1) {
  return {scenario.assumptions.exchange_in_domain, scenario.assumptions.exchange_between_domains,
          scenario.mapping.zero_stage >= 3, delay_part};
}

/// The exchanges that a plan compares, and the chosen one.
class GradientTraffic : Traffic {
 public:
  GradientTraffic(const CommunicationCase& c, CommunicationPlan& out)
      : Traffic(c, out), costs_(c.costs), layer_of_step_(layer_of_step(costs_, m_)) {}

  void add() {
    const double element = gradient_bytes_;
    out_.gradient_layer = Bytes(model_.parameters.layer * element);
    out_.gradient_chunk = out_.gradient_layer / real(replica_groups(m_).local);
    for (const GradientExchange kind : {GradientExchange::flat, GradientExchange::hierarchical_all_reduce,
                                        GradientExchange::hierarchical_reduce_scatter}) {
      GradientPlan plan;
      plan.kind = kind;
      const bool flat = kind == GradientExchange::flat;
      plan.stages = flat && library_rings(costs_, m_) ? measured_rings() : exchange(kind, element);
      plan.phases = exchange_phases(costs_, plan.stages);
      plan.pipelined = flat && library_rings(costs_, m_)
                           ? pipelined_time(plan.stages, scenario_.assumptions.stage_overlap)
                           : pipelined_exchange(plan.phases, layer_of_step_);
      plan.exposed = std::max(Seconds(0), plan.pipelined - layer_.backward);
      out_.gradients.push_back(std::move(plan));
    }
    out_.gradient = chosen_gradient();
  }

 private:
  /// Under expert parallelism experts have fewer copies than the rest of the layer, and so larger chunks: two
  /// exchanges, one after the other; between datacenters the second is under way when the first arrives, so
  /// that their delay counts once.
  std::vector<GradientStage> exchange(GradientExchange kind, double element) const {
    const DeviceParameters held = layer_parameters(model_, m_);
    const double together = held.common + (m_.experts_as_the_rest() ? held.experts : 0);
    Networks networks = shared(scenario_.network.gradient_share);
    if (measured_) {
      networks.scale_up.rate = networks.scale_up.rate * measured_->calibration().scale_up;
      networks.scale_out.rate = networks.scale_out.rate * measured_->calibration().scale_out;
    }
    auto stages = gradient_stages(kind, replica_groups(m_), Bytes(together * element), networks,
                                  exchange_options(scenario_, layer_of_step_));
    if (m_.experts_as_the_rest()) {
      return_weights(stages, element);
      return stages;
    }
    const auto experts = gradient_stages(kind, expert_groups(m_), Bytes(held.experts * element), networks,
                                         exchange_options(scenario_, layer_of_step_));
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const bool far = stages[i].network == NetworkLevel::wide_area;
      const Seconds once = far ? std::min(stages[i].delay, experts[i].delay) : Seconds(0);
      stages[i].peers = std::max(stages[i].peers, experts[i].peers);
      stages[i].bytes += experts[i].bytes;
      add_experts(stages[i], experts[i].sent);
      stages[i].time += experts[i].time - once;
      stages[i].delay += experts[i].delay - once;
    }
    return_weights(stages, element);
    return stages;
  }

  /// Under ZeRO 1 and 2 a hierarchy's all-gathers carry updated weights, in their own width, as rings do.
  void return_weights(std::vector<GradientStage>& stages, double element) const {
    const std::int64_t zero = scenario_.mapping.zero_stage;
    if (zero == 0 || zero >= 3) return;
    const double width = gathered_weight_bytes(scenario_) / element;
    for (GradientStage& stage : stages) {
      if (!stage.gathers) continue;
      stage.bytes = stage.bytes * width;
      stage.sent = stage.sent * width;
      stage.sent_of_experts = stage.sent_of_experts * width;
      stage.time = stage.delay + (stage.time - stage.delay) * width;
    }
  }

  /// Rings over all replicas: an all-reduce; or, with divided optimizers, a sum and a gather of weights.
  std::vector<GradientStage> measured_rings() const {
    const HeldParameters held = held_by_layer(scenario_, model_, m_, LayerKind::usual);
    const double gradient = gradient_bytes_;
    const std::int64_t zero = scenario_.mapping.zero_stage;
    if (zero == 0) return {ring_stage("ring all-reduce over all replicas", held, gradient, 2)};
    const bool copied = measured_->copies().ranks > 1;
    const std::string over = copied ? "over groups" : "over all replicas";
    const bool whole = sums_whole_gradients(scenario_, costs_.software);
    std::vector<GradientStage> stages = {ring_stage(
        (whole ? "ring all-reduce " : "ring reduce-scatter ") + over, held, gradient, whole ? 2 : 1)};
    if (copied) stages.push_back(copies_stage(held, gradient));
    if (zero < 3) {
      stages.push_back(ring_stage("all-gather " + over, held, gathered_weight_bytes(scenario_), 1));
      stages.back().gathers = true;
    }
    return stages;
  }

  GradientStage ring_stage(std::string name, const HeldParameters& held, double bytes, int passes) const {
    GradientStage stage =
        stage_over({measured_->replicas(), Bytes(held.common * bytes)},
                   {measured_->expert_replicas(), Bytes(held.experts * bytes)}, std::move(name), passes);
    stage.time = passes * exchange_time(*measured_, held, bytes, scenario_.network.gradient_share);
    return stage;
  }

  /// Of what one rank of each group holds.
  GradientStage copies_stage(const HeldParameters& held, double bytes) const {
    constexpr int kAllReduce = 2;
    GradientStage stage = stage_over(
        {measured_->copies(), Bytes(held.common * bytes / measured_->replicas().ranks)},
        {measured_->expert_copies(), Bytes(held.experts * bytes / measured_->expert_replicas().ranks)},
        "ring all-reduce over copies", kAllReduce);
    stage.time = copies_time(*measured_, held, bytes, scenario_.network.gradient_share);
    return stage;
  }

  static bool leaves(const RankGroup& group) { return group.ranks > group.ranks_per_domain; }

  /// A buffer that a group sums.
  struct RingSum {
    RankGroup group;
    Bytes bytes;

    Bytes sent(int passes) const {
      if (group.ranks <= 1) return Bytes(0);
      return bytes * (passes * (group.ranks - 1) / group.ranks / (leaves(group) ? group.interfaces : 1));
    }
  };

  GradientStage stage_over(const RingSum& common, const RingSum& experts, std::string name,
                           int passes) const {
    GradientStage stage;
    stage.name = std::move(name);
    const bool out = leaves(common.group) || (experts.bytes.si() > 0 && leaves(experts.group));
    stage.network = out ? NetworkLevel::scale_out : NetworkLevel::scale_up;
    const double most = experts.bytes.si() > 0 ? experts.group.ranks : 1;
    stage.peers = static_cast<std::int64_t>(std::max(common.group.ranks, most));
    stage.passes = passes;
    stage.bytes = common.bytes + experts.bytes;
    stage.sent = common.sent(passes);
    add_experts(stage, experts.sent(passes));
    return stage;
  }

  void add_experts(GradientStage& stage, Bytes sent) const {
    stage.sent += sent;
    if (m_.expert_sets() > 1) stage.sent_of_experts = sent;
  }

  const GradientPlan& chosen_gradient() const {
    const GradientExchange wanted = scenario_.assumptions.gradient_exchange;
    const GradientPlan* best = &out_.gradients.front();
    // What libraries run unless told otherwise.
    if (library_rings(costs_, m_) && wanted == GradientExchange::best) return *best;
    for (const GradientPlan& plan : out_.gradients) {
      if (plan.kind == wanted) return plan;
      if (plan.pipelined < best->pipelined) best = &plan;
    }
    return *best;
  }

  const CostCase& costs_;
  double layer_of_step_;
};

/// Under ZeRO-3.
class WeightTraffic : Traffic {
 public:
  using Traffic::Traffic;

  /// ZeRO-3: a device gathers its layer's weights before each pass; the next layer's gather overlaps this
  /// one's work.
  void add() {
    if (scenario_.mapping.zero_stage < 3) return;
    const double element = gathered_weight_bytes(scenario_);
    if (measured_) {
      const HeldParameters held = weights_by_layer(scenario_, model_, m_, LayerKind::usual);
      out_.weight_shard = Bytes((held.common + held.experts) * element);
      out_.weight_shard_of_experts = Bytes(held.experts * element);
      out_.weight_gather = exchange_time(*measured_, held, element, scenario_.network.weights_share);
      return;
    }
    const DeviceParameters held = layer_parameters(model_, m_);
    const StageOverlap overlap = scenario_.assumptions.stage_overlap;
    const Bytes common(held.common * element);
    const Bytes experts(held.experts * element);
    out_.weight_shard = common + experts;
    out_.weight_shard_of_experts = experts;
    const Networks networks = shared(scenario_.network.weights_share);
    const std::optional<std::int64_t> group = scenario_.mapping.zero_group;
    out_.weight_gather = gather_time(sharing_groups(replica_groups(m_), group), common, networks, overlap,
                                     exchange_options(scenario_)) +
                         gather_time(sharing_expert_groups(m_, group), experts, networks, overlap,
                                     exchange_options(scenario_));
  }
};

}  // namespace

bool libraries_exchange(const CostCase& c, const MappingPlan& m) {
  const GradientExchange wanted = c.scenario.assumptions.gradient_exchange;
  return library_rings(c, m) && (wanted == GradientExchange::best || wanted == GradientExchange::flat);
}

void add_gradient_traffic(const CommunicationCase& c, CommunicationPlan& out) {
  GradientTraffic(c, out).add();
}

void add_weight_traffic(const CommunicationCase& c, CommunicationPlan& out) { WeightTraffic(c, out).add(); }

}  // namespace trainyard
