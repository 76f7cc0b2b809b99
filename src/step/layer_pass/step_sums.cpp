#include "collective/collective.h"
#include "collective/collective_cost.h"
#include "cost/exchange_times.h"
#include "parallel/replicas.h"
#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"
#include "trainyard/scenario.h"

namespace trainyard::layer_costs {
namespace {

PassTransfer all_reduce(const PassCase& c, const char* name, StepResource network, std::int64_t ranks,
                        Bytes buffer) {
  const AllReduce algorithm =
      algorithm_for(c.plan.scenario.assumptions.all_reduce, ranks, buffer, c.rate(network));
  const CollectiveCost cost = all_reduce_cost(algorithm, ranks);
  return {StepWork::gradient, name, network, ranks, cost.sent * buffer, 1, cost.rounds};
}

StepResource network_of(bool in_domain) {
  return in_domain ? StepResource::scale_up : StepResource::scale_out;
}

}  // namespace

/// An all-reduce of two devices (Megatron-LM, core/distributed/finalize_model_grads.py). ZeRO 2 and 3 keep
/// a shard of each gradient.
std::optional<PassTransfer> embedding_sum(const PassCase& c) {
  const Scenario& scenario = c.plan.scenario;
  const ModelShape& shape = c.plan.model.shape;
  const bool ends = scenario.assumptions.embedding_placement == EmbeddingPlacement::ends;
  if (!shape.tied_embeddings || !ends || c.mapping.pipeline == 1) return {};
  const double shards =
      scenario.mapping.zero_stage >= 2
          ? real(sharing_groups(replica_groups(c.mapping), scenario.mapping.zero_group).total())
          : 1;
  const double parameters = real(shape.vocabulary) * real(shape.hidden) / real(c.mapping.tensor);
  const Bytes buffer(parameters * bytes_of(exchanged_gradients(scenario)) / shards);
  return all_reduce(c, "embedding gradients", network_of(c.communication.pipeline_in_domain), 2, buffer);
}

/// An all-reduce of one number over the devices that hold different gradients: a replica's, or all where
/// optimizers are divided (Megatron-LM, core/optimizer/clip_grads.py: get_grad_norm_fp32). On the outermost
/// network, which has the largest delay.
std::optional<PassTransfer> gradient_norm(const PassCase& c) {
  constexpr Bytes kNumber(4);
  const MappingPlan& m = c.mapping;
  const bool divided = c.plan.scenario.mapping.zero_stage >= 1;
  const std::int64_t ranks = divided ? m.devices_used : m.tensor * m.pipeline;
  if (ranks == 1) return {};
  const std::int64_t sites = divided ? replica_groups(m).datacenters : 1;
  if (sites > 1) return all_reduce(c, "gradient norm", StepResource::wide_area, sites, kNumber);
  const bool replica_in_domain = m.pipeline == 1 || c.communication.pipeline_in_domain;
  const bool inside =
      divided ? m.devices_used <= m.tensor * m.context * m.groups_per_domain : replica_in_domain;
  return all_reduce(c, "gradient norm", network_of(inside), ranks, kNumber);
}

}  // namespace trainyard::layer_costs
