#include "cost/step_costs.h"

#include <algorithm>
#include <optional>

#include "cost/cost_case.h"
#include "cost/measured_collectives.h"
#include "cost/traffic.h"
#include "parallel/memory.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

std::optional<MeasuredCollectives> collectives_of(const CostCase& costs, const MappingPlan& m) {
  if (!costs.calibration) return std::nullopt;
  return MeasuredCollectives(costs, m);
}

/// A mapping as its traffic sees it.
struct SeenCase {
  SeenCase(const CostCase& costs, const MappingPlan& m, const LayerTimes& layer)
      : measured(collectives_of(costs, m)), seen{costs, m, layer, measured ? &*measured : nullptr} {}
  SeenCase(const SeenCase&) = delete;
  SeenCase& operator=(const SeenCase&) = delete;

  std::optional<MeasuredCollectives> measured;
  CommunicationCase seen;
};

/// Activations of the offloaded layers leave beside the forward passes and return beside the backward ones:
/// no layer is faster than its part of that.
void wait_for_offload(LayerTimes& times, Seconds transfer) {
  times.forward = std::max(times.forward, transfer);
  times.backward = std::max(times.backward, transfer);
}

Seconds offload_of_layer(const CostCase& costs, const MappingPlan& m) {
  const Scenario& scenario = costs.scenario;
  const double share = offloaded_share(scenario.mapping, costs.model.shape);
  if (share <= 0) return Seconds(0);
  const Bytes kept = activation_bytes(costs.model.shape, scenario, m.tensor, scenario.mapping.recompute);
  return share * (kept / costs.networks.host);
}

}  // namespace

LayerCosts layer_costs(const CostCase& costs, const MappingPlan& m) {
  LayerCosts out;
  out.usual = layer_times(costs.scenario, costs.model, m);
  out.dense = costs.model.dense_operators.empty()
                  ? out.usual
                  : layer_times(costs.scenario, costs.model, m, LayerKind::dense);
  out.forward = out.usual.forward;
  const Seconds offload = offload_of_layer(costs, m);
  wait_for_offload(out.usual, offload);
  wait_for_offload(out.dense, offload);
  out.ends = whole_ends(costs.scenario, costs.model, m);
  out.traffic = group_traffic(SeenCase(costs, m, out.usual).seen);
  return out;
}

CommunicationPlan plan_communication(const CostCase& costs, const MappingPlan& m, const LayerCosts& layer) {
  const SeenCase c(costs, m, layer.usual);
  CommunicationPlan out;
  static_cast<LayerTraffic&>(out) = layer.traffic;
  add_stage_traffic(c.seen, out);
  add_gradient_traffic(c.seen, out);
  return out;
}

const LayerCosts& StepTables::layer_of(const MappingPlan& m) {
  const MappingInput& input = costs_.scenario.mapping;
  // All microbatches but the first add their gradients.
  const std::int64_t added = costs_.software.accumulation == Accumulation::apart ? m.microbatches : 0;
  const bool shared_weights = input.zero_stage == 3;  // which are copied around gathers
  const bool experts = m.expert > 1;  // whose exchange depends on where they are, and what runs beside it
  return layers_.of({m.tensor, m.context, m.expert, m.expert_tensor, m.microbatch, added,
                     static_cast<std::int64_t>(input.recompute), input.recompute_layers.value_or(-1),
                     input.zero_stage, experts ? m.expert_domains() : 1, experts ? m.expert_places() : 1,
                     experts && m.pipeline == 1 ? m.microbatches : 0, shared_weights ? m.data : 0,
                     shared_weights ? m.microbatches : 0, shared_weights ? m.pipeline : 0},
                    [&] { return layer_costs(costs_, m); });
}

StepTables::Exchange StepTables::exchange_of(const MappingPlan& m, const LayerTimes& layer) {
  // A step's layers say how much of a delay each waits for.
  const bool once = costs_.calibration != nullptr;
  return exchanges_.of(
      {m.tensor, m.context, m.expert, m.expert_tensor, m.data, m.local_replicas, m.domains_per_group,
       m.peer_domains, m.datacenters, costs_.scenario.mapping.zero_stage, once ? m.pipeline : 0,
       once ? m.layers_per_stage : 0, once ? m.last_stage_layers : 0, once ? m.microbatches : 0},
      [&] {
        const SeenCase c(costs_, m, layer);
        CommunicationPlan out;
        add_gradient_traffic(c.seen, out);
        return Exchange{out.gradient.kind, out.gradient.pipelined, out.gradient.phases};
      });
}

StepTimes StepTables::times(const MappingPlan& m, const StageRanges& stages, StepEffort effort) {
  const LayerCosts& layer = layer_of(m);
  static_cast<LayerTraffic&>(communication_) = layer.traffic;
  add_stage_traffic(SeenCase(costs_, m, layer.usual).seen, communication_);
  if (!libraries_exchange(costs_, m)) {
    const Exchange exchange = exchange_of(m, layer.usual);
    communication_.gradient.kind = exchange.kind;
    communication_.gradient.pipelined = exchange.pipelined;
    communication_.gradient.phases = exchange.phases;
    communication_.gradient.exposed = std::max(Seconds(0), exchange.pipelined - layer.usual.backward);
  }
  return step_times(costs_, m, communication_, layer, stages, effort);
}

}  // namespace trainyard
