#include "collective/collective.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace trainyard {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

/// An all-reduce is a reduce-scatter and an all-gather.
constexpr int kAllReducePasses = 2;

/// (n-1)/n
double others_share(std::int64_t ranks) { return ranks > 1 ? (real(ranks) - 1) / real(ranks) : 0; }

/// A reduce-scatter or all-gather (one pass around the ring), or an all-reduce (two).
GradientStage ring_stage(std::string name, std::string network, std::int64_t ranks, Bytes buffer, int passes,
                         const NetworkRate& rate) {
  return {std::move(name),
          std::move(network),
          ranks,
          buffer,
          passes * others_share(ranks) * buffer,
          passes * scatter_time(ranks, buffer, rate),
          ranks > 1 ? passes * rate.delay : Seconds(0),
          passes};
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

/// One ring over all replicas. Every link carries 2(n-1)/n S. Where the ring crosses datacenters it may use
/// the wide-area capacity of all replicas of its datacenter, and it crosses twice in each of its two rounds.
std::vector<GradientStage> flat_stages(const ReplicaGroups& groups, Bytes buffer, const Networks& networks) {
  const bool in_domain = groups.total() == groups.local;
  NetworkRate network = in_domain ? networks.scale_up : networks.scale_out;
  if (groups.datacenters > 1) {
    const BytesPerSecond crossing = networks.wide_area.rate * real(groups.local * groups.peers);
    network.rate = std::min(network.rate, crossing);
  }
  GradientStage stage = ring_stage("ring all-reduce over all replicas", in_domain ? "scale_up" : "scale_out",
                                   groups.total(), buffer, kAllReducePasses, network);
  if (groups.datacenters > 1) {
    const Seconds crossings = 2 * real(groups.datacenters) * networks.wide_area.delay;
    stage.time += crossings;
    stage.delay += crossings;
  }
  return {stage};
}

std::vector<GradientStage> hierarchical_stages(bool scatter, const ReplicaGroups& groups, Bytes buffer,
                                               const Networks& networks) {
  const Bytes chunk = buffer / real(groups.local);
  const int passes = scatter ? 1 : kAllReducePasses;
  const std::string verb = scatter ? "reduce-scatter" : "all-reduce";
  return {
      ring_stage(verb + " in the HB domain", "scale_up", groups.local, buffer, passes, networks.scale_up),
      ring_stage(verb + " in the datacenter", "scale_out", groups.peers, chunk, passes, networks.scale_out),
      wide_area_stage(groups.datacenters, chunk / real(groups.peers), networks.wide_area),
      ring_stage("all-gather in the datacenter", "scale_out", groups.peers, chunk, 1, networks.scale_out),
      ring_stage("all-gather in the HB domain", "scale_up", groups.local, buffer, 1, networks.scale_up),
  };
}

}  // namespace

Seconds scatter_time(std::int64_t ranks, Bytes buffer, const NetworkRate& network) {
  return transfer_time(buffer * others_share(ranks), network);
}

AllReduceCost all_reduce_cost(AllReduce algorithm, std::int64_t ranks) {
  if (ranks <= 1) return {};
  const double ring = kAllReducePasses * others_share(ranks);
  const double levels = std::floor(std::log2(real(ranks)));
  const bool power_of_two = (ranks & (ranks - 1)) == 0;
  switch (algorithm) {
    case AllReduce::ring:
      return {ring, kAllReducePasses * (real(ranks) - 1)};
    case AllReduce::halving_doubling:
      if (power_of_two) return {ring, kAllReducePasses * levels};
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
  if (buffer.si() <= 0) return Seconds(0);
  const AllReduceCost cost = all_reduce_cost(algorithm_for(algorithm, ranks, buffer, network), ranks);
  return cost.sent * buffer / network.rate + cost.rounds * network.delay;
}

std::vector<GradientStage> gradient_stages(GradientExchange kind, const ReplicaGroups& groups, Bytes buffer,
                                           const Networks& networks) {
  if (kind == GradientExchange::flat) return flat_stages(groups, buffer, networks);
  return hierarchical_stages(kind == GradientExchange::hierarchical_reduce_scatter, groups, buffer, networks);
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

Seconds gather_time(const ReplicaGroups& groups, Bytes buffer, const Networks& networks,
                    StageOverlap overlap) {
  const auto stages = hierarchical_stages(true, groups, buffer, networks);
  // Shards live in every datacenter, so a gather stays inside one.
  return pipelined_time({stages[3], stages[4]}, overlap);
}

}  // namespace trainyard
