#include "cost/measured_collectives.h"
#include "parallel/replicas.h"
#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"

namespace trainyard::layer_costs {
namespace {

StepResource resource(NetworkLevel network) {
  if (network == NetworkLevel::scale_up) return StepResource::scale_up;
  return network == NetworkLevel::scale_out ? StepResource::scale_out : StepResource::wide_area;
}

}  // namespace

void add_pipeline(LayerPass& out, const PassCase& c) {
  out.to_next_stage = {
      StepWork::pipeline, "pipeline", StepResource::scale_up, 2, c.communication.pipeline_volume, 1, 1};
  out.to_next_domain = out.to_next_stage;
  out.to_next_domain.network = StepResource::scale_out;
  out.to_next_domain.rate_share = c.plan.scenario.network.pipeline_share;
  if (!c.measured || c.mapping.pipeline == 1) return;
  const MeasuredCollectives collectives(c.costs, c.mapping);
  out.to_next_stage.rounds = out.to_next_domain.rounds = 0;
  out.to_next_stage =
      c.timed(out.to_next_stage, collectives.point_to_point(c.communication.pipeline_volume, true));
  out.to_next_domain =
      c.timed(out.to_next_domain, collectives.point_to_point(c.communication.pipeline_volume, false));
}

/// Two gathers on two networks, pipelined in small chunks, as one transfer on the outer network that takes
/// their time.
void add_weights(LayerPass& out, const PassCase& c) {
  if (c.communication.weight_gather.si() <= 0) return;
  const ReplicaGroups groups = sharing_groups(replica_groups(c.mapping), c.plan.scenario.mapping.zero_group);
  const bool outside = groups.peers > 1;
  const double ranks = real(outside ? groups.peers : groups.local);
  PassTransfer gather{
      StepWork::weights,
      "weights",
      outside ? StepResource::scale_out : StepResource::scale_up,
      outside ? groups.peers : groups.local,
      c.communication.weight_shard * ((ranks - 1) / ranks / (outside ? real(groups.local) : 1)),
      1,
      0};
  out.weight_gather = c.timed(gather, c.communication.weight_gather);
}

void add_exchange(LayerPass& out, const PassCase& c) {
  const GradientPlan& gradient = c.communication.gradient;
  out.exchange_shares_networks = c.plan.scenario.assumptions.stage_overlap == StageOverlap::shared_network;
  for (const GradientStage& stage : gradient.stages) {
    if (stage.sent.si() <= 0 || stage.time.si() <= 0) continue;
    const PassTransfer transfer{StepWork::gradient,
                                stage.name,
                                resource(stage.network),
                                stage.peers,
                                stage.sent,
                                1,
                                0,
                                stage.passes,
                                stage.delay,
                                stage.gathers};
    out.exchange.push_back(c.timed(transfer, stage.time - stage.delay));
  }
}

}  // namespace trainyard::layer_costs
