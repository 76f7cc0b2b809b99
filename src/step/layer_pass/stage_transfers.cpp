#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>

#include "cost/measured_collectives.h"
#include "parallel/replicas.h"
#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"

namespace trainyard::layer_costs {
namespace {

/// Weights that so many copies gather from each other.
struct Gathered {
  Bytes bytes;
  ReplicaGroups groups;

  bool leaves() const { return groups.peers > 1; }
  Bytes sent() const {
    const double ranks = real(leaves() ? groups.peers : groups.local);
    return bytes * ((ranks - 1) / ranks / (leaves() ? real(groups.local) : 1));
  }
};

/// Those that the time of the gather is of.
ReplicaGroups copies_of_experts(const PassCase& c, std::optional<std::int64_t> sharing) {
  if (!c.measured) return sharing_expert_groups(c.mapping, sharing);
  const RankGroup group = MeasuredCollectives(c.costs, c.mapping).expert_replicas();
  const auto local = static_cast<std::int64_t>(group.ranks_per_domain);
  return {local, static_cast<std::int64_t>(std::ceil(group.ranks / group.ranks_per_domain)), 1};
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

/// Gathers on two networks, and those of experts, whose copies are fewer, pipelined in small chunks, as one
/// transfer on the outer network that takes their time.
void add_weights(LayerPass& out, const PassCase& c) {
  if (c.communication.weight_gather.si() <= 0) return;
  const std::optional<std::int64_t> sharing = c.plan.scenario.mapping.zero_group;
  const Bytes experts = c.communication.weight_shard_of_experts;
  const Gathered parts[] = {
      {c.communication.weight_shard - experts, sharing_groups(replica_groups(c.mapping), sharing)},
      {experts, copies_of_experts(c, sharing)}};
  const bool outside = std::any_of(std::begin(parts), std::end(parts),
                                   [](const Gathered& part) { return part.bytes.si() > 0 && part.leaves(); });
  PassTransfer gather{StepWork::weights,
                      "weights",
                      outside ? StepResource::scale_out : StepResource::scale_up,
                      1,
                      Bytes(0),
                      1,
                      0};
  for (const Gathered& part : parts) {
    if (part.bytes.si() <= 0 || part.leaves() != outside) continue;
    gather.ranks = std::max(gather.ranks, outside ? part.groups.peers : part.groups.local);
    gather.bytes += part.sent();
  }
  out.weight_gather = c.timed(gather, c.communication.weight_gather);
}

void add_exchange(LayerPass& out, const PassCase& c) {
  const GradientPlan& gradient = c.communication.gradient;
  out.exchange_shares_networks = c.plan.scenario.assumptions.stage_overlap == StageOverlap::shared_network;
  for (const GradientStage& stage : gradient.stages) {
    if (stage.sent.si() <= 0 || stage.time.si() <= 0) continue;
    const PassTransfer transfer{StepWork::gradient,
                                stage.name,
                                resource_of(stage.network),
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
