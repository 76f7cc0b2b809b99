#include "collective/collective.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "collective/all_reduces.h"
#include "collective/all_to_alls.h"
#include "collective/ranks.h"
#include "parallel/replicas.h"
#include "scenario/chosen_by.h"
#include "trainyard/plan/communication.h"

namespace trainyard {
namespace {

enum class Pass : std::uint8_t { one, both };  // a reduce-scatter or all-gather; an all-reduce

GradientStage stage_of(std::string name, NetworkLevel network, std::int64_t ranks, Bytes buffer, Pass passes,
                       AllReduce wanted, const NetworkRate& rate) {
  GradientStage out{std::move(name), network, ranks, buffer, Bytes(0), Seconds(0)};
  const bool both = passes == Pass::both;
  out.algorithm =
      both ? algorithm_for(wanted, ranks, buffer, rate) : scatter_algorithm_for(wanted, ranks, buffer, rate);
  const CollectiveCost cost =
      both ? all_reduce_cost(out.algorithm, ranks) : scatter_cost(out.algorithm, ranks);
  out.passes = both ? kAllReducePasses : 1;
  out.sent = cost.sent * buffer;
  out.time = cost.time(buffer, rate);
  out.delay = buffer.si() > 0 ? cost.rounds * rate.delay : Seconds(0);
  return out;
}

/// All-reduce of a chunk over datacenters: the quicker of sending it to every other one at once (one delay)
/// and of a reduce-scatter with an all-gather (two delays, fewer bytes from three datacenters on).
GradientStage wide_area_stage(std::int64_t datacenters, Bytes chunk, const NetworkRate& network,
                              double delay_part) {
  GradientStage stage{
      "all-reduce between datacenters", NetworkLevel::wide_area, datacenters, chunk, Bytes(0), Seconds(0)};
  if (datacenters < 2) return stage;
  const Bytes direct = (real(datacenters) - 1) * chunk;
  const Bytes each_step = others_share(datacenters) * chunk;
  const Seconds two_steps = 2 * transfer_time(each_step, network);
  stage.sent = direct;
  stage.time = transfer_time(direct, network);
  stage.delay = network.delay;
  const double hidden = 1 - delay_part;
  if (two_steps - hidden * (2 * network.delay) < stage.time - hidden * network.delay) {
    stage.sent = 2 * each_step;
    stage.time = two_steps;
    stage.delay = 2 * network.delay;
    stage.passes = kAllReducePasses;
  }
  return stage;
}

/// One group of all replicas; a ring, of which every link carries 2(n-1)/n S, unless another algorithm is
/// asked for. Where it crosses datacenters it may use the wide-area capacity of all replicas of its
/// datacenter, and it crosses as often as there are datacenters in each pass.
std::vector<GradientStage> flat_stages(const ReplicaGroups& groups, Bytes buffer, const Networks& networks,
                                       const ExchangeOptions& options) {
  const bool in_domain = groups.total() == groups.local;
  NetworkRate network = in_domain ? networks.scale_up : networks.scale_out;
  if (groups.datacenters > 1) {
    const BytesPerSecond crossing = networks.wide_area.rate * real(groups.local * groups.peers);
    network.rate = std::min(network.rate, crossing);
  }
  const Pass passes = options.keeps_shards ? Pass::one : Pass::both;
  const std::string verb = options.keeps_shards ? "reduce-scatter" : "all-reduce";
  GradientStage stage = stage_of(
      "ring " + verb + " over all replicas", in_domain ? NetworkLevel::scale_up : NetworkLevel::scale_out,
      groups.total(), buffer, passes, in_domain ? options.in_domain : options.between_domains, network);
  if (groups.datacenters > 1) {
    const double times = options.keeps_shards ? 1 : kAllReducePasses;
    const Seconds crossings = times * real(groups.datacenters) * networks.wide_area.delay;
    stage.time += crossings;
    stage.delay += crossings;
  }
  return {stage};
}

/// All-gathers of what replicas hold in parts: stages 4 and 5 of the hierarchy.
std::vector<GradientStage> gather_stages(const ReplicaGroups& groups, Bytes buffer, const Networks& networks,
                                         const ExchangeOptions& options) {
  std::vector<GradientStage> out = {
      stage_of("all-gather in the datacenter", NetworkLevel::scale_out, groups.peers,
               buffer / real(groups.local), Pass::one, options.between_domains, networks.scale_out),
      stage_of("all-gather in the HB domain", NetworkLevel::scale_up, groups.local, buffer, Pass::one,
               options.in_domain, networks.scale_up)};
  for (GradientStage& stage : out) stage.gathers = true;
  return out;
}

std::vector<GradientStage> hierarchical_stages(bool scatter, const ReplicaGroups& groups, Bytes buffer,
                                               const Networks& networks, const ExchangeOptions& options) {
  const Bytes chunk = buffer / real(groups.local);
  const Pass passes = scatter ? Pass::one : Pass::both;
  const std::string verb = scatter ? "reduce-scatter" : "all-reduce";
  std::vector<GradientStage> out = {
      stage_of(verb + " in the HB domain", NetworkLevel::scale_up, groups.local, buffer, passes,
               options.in_domain, networks.scale_up),
      stage_of(verb + " in the datacenter", NetworkLevel::scale_out, groups.peers, chunk, passes,
               options.between_domains, networks.scale_out),
      wide_area_stage(groups.datacenters, chunk / real(groups.peers), networks.wide_area,
                      options.delay_part)};
  if (options.keeps_shards) return out;
  for (GradientStage& stage : gather_stages(groups, buffer, networks, options))
    out.push_back(std::move(stage));
  return out;
}

}  // namespace

CollectiveCost all_reduce_cost(AllReduce algorithm, std::int64_t ranks) {
  return ranks > 1 ? all_reduce_of(algorithm).all_reduce(ranks) : CollectiveCost{};
}

CollectiveCost scatter_cost(AllReduce algorithm, std::int64_t ranks) {
  return ranks > 1 ? all_reduce_of(algorithm).pass(ranks) : CollectiveCost{};
}

CollectiveCost all_to_all_cost(AllToAll algorithm, std::int64_t ranks) {
  return ranks > 1 ? all_to_all_of(algorithm).cost(ranks) : CollectiveCost{};
}

AllToAllPlan all_to_all_plan(AllToAll algorithm, std::int64_t local, std::int64_t domains, Bytes buffer,
                             const Networks& networks) {
  const AllToAllCase wanted{local, domains, buffer};
  if (algorithm != AllToAll::best) return all_to_all_of(algorithm).plan(wanted, networks);
  std::optional<AllToAllPlan> quickest;
  for (const RegisteredAllToAll& entry : all_to_alls()) {
    if (entry.chosen_by == ChosenBy::name) continue;
    const AllToAllPlan plan = entry.algorithm->plan(wanted, networks);
    if (!quickest || plan.time < quickest->time) quickest = plan;
  }
  TY_ASSERT(quickest, "an all-to-all that best may stand for");
  return *quickest;
}

namespace {

/// The quickest of those that `best` may stand for, by cost(name, ranks).
AllReduce quickest_all_reduce(CollectiveCost (*cost)(AllReduce, std::int64_t), std::int64_t ranks,
                              Bytes buffer, const NetworkRate& network) {
  std::optional<AllReduce> quickest;
  for (const RegisteredAllReduce& entry : all_reduces()) {
    if (entry.chosen_by == ChosenBy::name) continue;
    if (!quickest ||
        cost(entry.name, ranks).time(buffer, network) < cost(*quickest, ranks).time(buffer, network))
      quickest = entry.name;
  }
  TY_ASSERT(quickest, "an all-reduce that best may stand for");
  return *quickest;
}

}  // namespace

AllReduce algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer, const NetworkRate& network) {
  if (algorithm != AllReduce::best) return algorithm;
  return quickest_all_reduce(all_reduce_cost, ranks, buffer, network);
}

AllReduce scatter_algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer,
                                const NetworkRate& network) {
  if (algorithm != AllReduce::best) return algorithm;
  return quickest_all_reduce(scatter_cost, ranks, buffer, network);
}

Seconds all_reduce_time(std::int64_t ranks, Bytes buffer, const NetworkRate& network, AllReduce algorithm) {
  return all_reduce_cost(algorithm_for(algorithm, ranks, buffer, network), ranks).time(buffer, network);
}

std::vector<GradientStage> gradient_stages(GradientExchange kind, const ReplicaGroups& groups, Bytes buffer,
                                           const Networks& networks, const ExchangeOptions& options) {
  if (kind == GradientExchange::flat) return flat_stages(groups, buffer, networks, options);
  return hierarchical_stages(kind == GradientExchange::hierarchical_reduce_scatter, groups, buffer, networks,
                             options);
}

Seconds pipelined_time(const std::vector<GradientStage>& stages, StageOverlap overlap) {
  std::map<NetworkLevel, Seconds> by_network;
  Seconds slowest{0};
  for (const GradientStage& s : stages) {
    Seconds& sum = by_network[s.network];
    sum += s.time;
    slowest = std::max(slowest, overlap == StageOverlap::slowest_stage ? s.time : sum);
  }
  return slowest;
}

Seconds gather_time(const ReplicaGroups& groups, Bytes buffer, const Networks& networks, StageOverlap overlap,
                    const ExchangeOptions& options) {
  // Shards live in every datacenter, so a gather stays inside one.
  return pipelined_time(gather_stages(groups, buffer, networks, options), overlap);
}

}  // namespace trainyard
