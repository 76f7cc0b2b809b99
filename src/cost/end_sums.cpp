#include "cost/end_sums.h"

#include "collective/collective.h"
#include "collective/collective_cost.h"
#include "cost/cost_case.h"
#include "cost/exchange_times.h"
#include "parallel/replicas.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

const NetworkRate& rate_of(const CostCase& c, NetworkLevel network) {
  if (network == NetworkLevel::scale_up) return c.networks.scale_up;
  return network == NetworkLevel::scale_out ? c.networks.scale_out : c.networks.wide_area;
}

NetworkLevel network_of(bool in_domain) {
  return in_domain ? NetworkLevel::scale_up : NetworkLevel::scale_out;
}

EndSum all_reduce(const CostCase& c, NetworkLevel network, std::int64_t ranks, Bytes buffer) {
  const AllReduce algorithm =
      algorithm_for(c.scenario.assumptions.all_reduce, ranks, buffer, rate_of(c, network));
  const CollectiveCost cost = all_reduce_cost(algorithm, ranks);
  return {network, ranks, cost.sent * buffer, cost.rounds};
}

Seconds time_of(const CostCase& c, const std::optional<EndSum>& sum) {
  if (!sum) return Seconds(0);
  const NetworkRate& network = rate_of(c, sum->network);
  return sum->sent / network.rate + sum->rounds * network.delay;
}

}  // namespace

std::optional<EndSum> embedding_sum(const CostCase& c, const MappingPlan& m,
                                    const CommunicationPlan& communication) {
  const Scenario& scenario = c.scenario;
  const ModelShape& shape = c.model.shape;
  const bool ends = scenario.assumptions.embedding_placement == EmbeddingPlacement::ends;
  if (!shape.tied_embeddings || !ends || m.pipeline == 1 || scenario.training.adapter_rank) return {};
  const double shards = scenario.mapping.zero_stage >= 2
                            ? real(sharing_groups(replica_groups(m), scenario.mapping.zero_group).total())
                            : 1;
  const double parameters = real(shape.vocabulary) * real(shape.hidden) / real(m.tensor);
  const Bytes buffer(parameters * bytes_of(exchanged_gradients(scenario)) / shards);
  return all_reduce(c, network_of(communication.pipeline_in_domain), 2, buffer);
}

std::optional<EndSum> gradient_norm(const CostCase& c, const MappingPlan& m,
                                    const CommunicationPlan& communication) {
  constexpr Bytes kNumber(4);
  const bool divided = c.scenario.mapping.zero_stage >= 1;
  const std::int64_t ranks = divided ? m.devices_used : m.tensor * m.pipeline;
  if (ranks == 1) return {};
  const std::int64_t sites = divided ? replica_groups(m).datacenters : 1;
  // Sites that meet every few batches clip by their own gradients between.
  if (sites > 1 && c.scenario.wide_area.sync_every == 1)
    return all_reduce(c, NetworkLevel::wide_area, sites, kNumber);
  const bool replica_in_domain = m.pipeline == 1 || communication.pipeline_in_domain;
  const bool inside =
      divided ? m.devices_used <= m.tensor * m.context * m.groups_per_domain : replica_in_domain;
  return all_reduce(c, network_of(inside), ranks, kNumber);
}

Seconds end_sums(const CostCase& c, const MappingPlan& m, const CommunicationPlan& communication) {
  const StepInput& step = c.scenario.step;
  const bool steady = c.scenario.assumptions.step_rule == StepRule::steady_state;
  Seconds out{0};
  if (step.embedding_exchange.value_or(true)) out += time_of(c, embedding_sum(c, m, communication));
  if (step.gradient_norm.value_or(!steady)) out += time_of(c, gradient_norm(c, m, communication));
  return out;
}

}  // namespace trainyard
