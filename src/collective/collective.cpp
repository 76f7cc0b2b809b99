#include "collective/collective.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/errors.h"

namespace trainyard {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

/// An all-reduce is a reduce-scatter and an all-gather.
constexpr int kAllReducePasses = 2;

/// (n-1)/n
double others_share(std::int64_t ranks) { return ranks > 1 ? (real(ranks) - 1) / real(ranks) : 0; }

bool power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

/// The largest whole number of halvings of so many ranks.
double halvings(std::int64_t ranks) { return std::floor(std::log2(real(ranks))); }

enum class Pass : std::uint8_t { one, both };  // a reduce-scatter or all-gather; an all-reduce

GradientStage stage_of(std::string name, std::string network, std::int64_t ranks, Bytes buffer, Pass passes,
                       AllReduce wanted, const NetworkRate& rate) {
  GradientStage out{std::move(name), std::move(network), ranks, buffer, Bytes(0), Seconds(0)};
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
GradientStage wide_area_stage(std::int64_t datacenters, Bytes chunk, const NetworkRate& network) {
  GradientStage stage{
      "all-reduce between datacenters", "wide_area", datacenters, chunk, Bytes(0), Seconds(0)};
  if (datacenters < 2) return stage;
  const Bytes direct = (real(datacenters) - 1) * chunk;
  const Bytes each_step = others_share(datacenters) * chunk;
  const Seconds two_steps = 2 * transfer_time(each_step, network);
  stage.sent = direct;
  stage.time = transfer_time(direct, network);
  stage.delay = network.delay;
  if (two_steps < stage.time) {
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
  GradientStage stage =
      stage_of("ring " + verb + " over all replicas", in_domain ? "scale_up" : "scale_out", groups.total(),
               buffer, passes, in_domain ? options.in_domain : options.between_domains, network);
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
  return {stage_of("all-gather in the datacenter", "scale_out", groups.peers, buffer / real(groups.local),
                   Pass::one, options.between_domains, networks.scale_out),
          stage_of("all-gather in the HB domain", "scale_up", groups.local, buffer, Pass::one,
                   options.in_domain, networks.scale_up)};
}

std::vector<GradientStage> hierarchical_stages(bool scatter, const ReplicaGroups& groups, Bytes buffer,
                                               const Networks& networks, const ExchangeOptions& options) {
  const Bytes chunk = buffer / real(groups.local);
  const Pass passes = scatter ? Pass::one : Pass::both;
  const std::string verb = scatter ? "reduce-scatter" : "all-reduce";
  std::vector<GradientStage> out = {
      stage_of(verb + " in the HB domain", "scale_up", groups.local, buffer, passes, options.in_domain,
               networks.scale_up),
      stage_of(verb + " in the datacenter", "scale_out", groups.peers, chunk, passes, options.between_domains,
               networks.scale_out),
      wide_area_stage(groups.datacenters, chunk / real(groups.peers), networks.wide_area)};
  if (options.keeps_shards) return out;
  for (GradientStage& stage : gather_stages(groups, buffer, networks, options))
    out.push_back(std::move(stage));
  return out;
}

/// Parts of the buffer that go on in Bruck's all-to-all, summed over its steps: of the distances below n,
/// those that have the step's bit.
double bruck_parts(std::int64_t ranks) {
  double parts = 0;
  for (std::int64_t bit = 1; bit < ranks; bit *= 2) {
    const std::int64_t rest = ranks % (2 * bit) - bit;
    parts += real(ranks / (2 * bit) * bit + std::max<std::int64_t>(0, rest));
  }
  return parts;
}

}  // namespace

CollectiveCost all_reduce_cost(AllReduce algorithm, std::int64_t ranks) {
  if (ranks <= 1) return {};
  const double ring = kAllReducePasses * others_share(ranks);
  const double levels = halvings(ranks);
  switch (algorithm) {
    case AllReduce::ring:
      return {ring, kAllReducePasses * (real(ranks) - 1)};
    case AllReduce::halving_doubling:
      if (power_of_two(ranks)) return {ring, kAllReducePasses * levels};
      return {kAllReducePasses * (1 + others_share(std::int64_t{1} << std::int64_t(levels))),
              kAllReducePasses * (levels + 1)};
    case AllReduce::tree:
      return {kAllReducePasses, kAllReducePasses * std::ceil(std::log2(real(ranks) + 1))};
    case AllReduce::in_network:
      return {1, kAllReducePasses};
    case AllReduce::bandwidth:
    case AllReduce::best:
      break;
  }
  return {ring, kAllReducePasses};
}

CollectiveCost scatter_cost(AllReduce algorithm, std::int64_t ranks) {
  if (ranks <= 1) return {};
  const double others = others_share(ranks);
  const double levels = halvings(ranks);
  switch (algorithm) {
    case AllReduce::ring:
      return {others, real(ranks) - 1};
    case AllReduce::halving_doubling:
      if (power_of_two(ranks)) return {others, levels};
      return {1 + others_share(std::int64_t{1} << std::int64_t(levels)) + 1 / real(ranks), levels + 2};
    case AllReduce::tree:
      return {others, std::ceil(std::log2(real(ranks)))};
    case AllReduce::in_network:
    case AllReduce::bandwidth:
    case AllReduce::best:
      break;
  }
  return {others, 1};
}

AllReduce scatter_algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer,
                                const NetworkRate& network) {
  if (algorithm != AllReduce::best) return algorithm;
  AllReduce quickest = AllReduce::ring;
  for (const AllReduce other : {AllReduce::tree, AllReduce::halving_doubling}) {
    if (scatter_cost(other, ranks).time(buffer, network) <
        scatter_cost(quickest, ranks).time(buffer, network))
      quickest = other;
  }
  return quickest;
}

CollectiveCost all_to_all_cost(AllToAll algorithm, std::int64_t ranks) {
  if (ranks <= 1) return {};
  switch (algorithm) {
    case AllToAll::pairwise:
      return {others_share(ranks), real(ranks) - 1};
    case AllToAll::bruck:
      return {bruck_parts(ranks) / real(ranks), std::ceil(std::log2(real(ranks)))};
    case AllToAll::bandwidth:
    case AllToAll::hierarchical:
      break;
    case AllToAll::best:
      TY_ASSERT(false, "best is one of the others at a size");
  }
  return {others_share(ranks), 1};
}

namespace {

AllToAllPlan in_two_stages(std::int64_t local, std::int64_t domains, Bytes buffer, const Networks& networks) {
  const CollectiveCost near = all_to_all_cost(AllToAll::pairwise, local);
  const CollectiveCost far = all_to_all_cost(AllToAll::pairwise, domains);
  AllToAllPlan out{AllToAll::hierarchical, near.sent * buffer, far.sent * buffer, Seconds(0)};
  out.time = std::max(out.inside / networks.scale_up.rate, out.outside / networks.scale_out.rate) +
             near.rounds * networks.scale_up.delay + far.rounds * networks.scale_out.delay;
  return out;
}

}  // namespace

AllToAllPlan all_to_all_plan(AllToAll algorithm, std::int64_t local, std::int64_t domains, Bytes buffer,
                             const Networks& networks) {
  if (algorithm == AllToAll::best) {
    AllToAllPlan quickest = all_to_all_plan(AllToAll::pairwise, local, domains, buffer, networks);
    for (const AllToAll other : {AllToAll::bruck, AllToAll::hierarchical}) {
      const AllToAllPlan plan = all_to_all_plan(other, local, domains, buffer, networks);
      if (plan.time < quickest.time) quickest = plan;
    }
    return quickest;
  }
  if (algorithm == AllToAll::hierarchical) {
    if (domains > 1) return in_two_stages(local, domains, buffer, networks);
    algorithm = AllToAll::pairwise;
  }
  const CollectiveCost cost = all_to_all_cost(algorithm, local * domains);
  AllToAllPlan out{algorithm, Bytes(0), Bytes(0), Seconds(0)};
  (domains > 1 ? out.outside : out.inside) = cost.sent * buffer;
  out.time = cost.time(buffer, domains > 1 ? networks.scale_out : networks.scale_up);
  return out;
}

AllReduce algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer, const NetworkRate& network) {
  if (algorithm != AllReduce::best) return algorithm;
  AllReduce quickest = AllReduce::ring;
  for (const AllReduce other : {AllReduce::tree, AllReduce::halving_doubling}) {
    if (all_reduce_time(ranks, buffer, network, other) < all_reduce_time(ranks, buffer, network, quickest))
      quickest = other;
  }
  return quickest;
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
  std::map<std::string, Seconds> by_network;
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
