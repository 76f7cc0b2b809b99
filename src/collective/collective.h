// Collective operations over a group: bytes on the wire, delays, and time.
//
// Every algorithm is two numbers: the bytes that pass a rank's link one after another, over the rank's buffer
// of S bytes, and the delays that follow each other. With n ranks a reduce-scatter, an all-gather and an
// all-to-all each have to move (n-1)/n S through every rank's link, an all-reduce twice that (Thakur et al.
// 2005).
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/parallel.h"
#include "trainyard/networks.h"
#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

/// What a collective costs each rank.
struct CollectiveCost {
  double sent = 0;    // bytes that pass a rank's link one after another, over the buffer
  double rounds = 0;  // delays, one after another

  /// Of `buffer` bytes a rank; nothing takes no time.
  Seconds time(Bytes buffer, const NetworkRate& network) const {
    if (buffer.si() <= 0) return Seconds(0);
    return sent * buffer / network.rate + rounds * network.delay;
  }
};

/// Of n ranks, with S bytes a rank, rate B and delay a (Thakur et al. 2005, section 4; Sanders et al. 2009
/// for the trees; Graham et al. 2016 for switches that sum):
///   bandwidth         2 (n-1)/n S/B + 2 a
///   ring              2 (n-1)/n S/B + 2 (n-1) a
///   halving_doubling  2 (n-1)/n S/B + 2 log2(n) a; 2 S/B + 2 a more where n is not a power of two: the
///                     rest send their buffers to partners first and get the sum at the end
///   tree              2 S/B + 2 ceil(log2(n+1)) a, two trees at half of the buffer each, in small chunks
///   in_network        S/B + 2 a
CollectiveCost all_reduce_cost(AllReduce algorithm, std::int64_t ranks);

/// A reduce-scatter or an all-gather by the same algorithms, one pass of an all-reduce:
///   bandwidth         (n-1)/n S/B + a
///   ring              (n-1)/n S/B + (n-1) a
///   halving_doubling  (n-1)/n S/B + log2(n) a; S (1 + 1/n)/B + 2 a more where n is not a power of two, for
///                     whose rest partners take part (Thakur et al. 2005, section 4)
///   tree              (n-1)/n S/B + ceil(log2 n) a, a binomial tree for each rank's part (Bruck et al. 1997)
///   in_network        (n-1)/n S/B + a: switches add up or copy, but every buffer still enters or leaves
///   whole
CollectiveCost scatter_cost(AllReduce algorithm, std::int64_t ranks);

/// Time of an all-reduce of `buffer` bytes a rank over n ranks; `best` is the quickest for this buffer.
Seconds all_reduce_time(std::int64_t ranks, Bytes buffer, const NetworkRate& network,
                        AllReduce algorithm = AllReduce::bandwidth);

/// The algorithm that `best` stands for at this size; any other is itself.
AllReduce algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer, const NetworkRate& network);
/// The same for one pass.
AllReduce scatter_algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer,
                                const NetworkRate& network);

/// An all-to-all of n ranks inside one network (`hierarchical` counts as `bandwidth`; `best` is refused):
///   bandwidth  (n-1)/n S/B + a
///   pairwise   (n-1)/n S/B + (n-1) a (Thakur et al. 2005, section 4)
///   bruck      for each of the ceil(log2 n) bits of a distance, a and the parts of the buffer whose distance
///              has it: n/2 of n where n is a power of two (Bruck et al. 1997)
CollectiveCost all_to_all_cost(AllToAll algorithm, std::int64_t ranks);

/// What an all-to-all puts on each network, stages pipelined in small chunks.
struct AllToAllPlan {
  AllToAll algorithm = AllToAll::bandwidth;
  Bytes inside;   // that a device sends in its HB domain
  Bytes outside;  // and between HB domains
  Seconds time;
};

/// Time of an all-to-all of `buffer` bytes a rank over groups of `local` ranks in each of `domains` HB
/// domains. `hierarchical`: inside each domain to the rank that has the receiver's place there, and from
/// there between domains, each pairwise (the slower of (l-1)/l S on the one and (d-1)/d S on the other
/// network, and l - 1 + d - 1 delays). All others use the scale-out network alone where the group has several
/// domains.
AllToAllPlan all_to_all_plan(AllToAll algorithm, std::int64_t local, std::int64_t domains, Bytes buffer,
                             const Networks& networks);

/// How a gradient exchange is carried out.
struct ExchangeOptions {
  AllReduce in_domain = AllReduce::bandwidth;
  AllReduce between_domains = AllReduce::bandwidth;
  bool keeps_shards = false;  // ZeRO 3: every device keeps the sum of its own part
};

/// The stages of summing `buffer` bytes a device over the replicas. Hierarchical kinds: HotNets '24
/// section 4.1, with the first two all-reduces, or with reduce-scatters in their place (half the bytes; same
/// result, since the all-gathers of stages 4 and 5 follow either way). Devices that keep shards gather
/// nothing: no stages 4 and 5, and a reduce-scatter in place of the flat all-reduce (Rajbhandari et al. 2020,
/// section 7.2.2: with two gathers of weights three passes in all).
std::vector<GradientStage> gradient_stages(GradientExchange kind, const ReplicaGroups& groups, Bytes buffer,
                                           const Networks& networks, const ExchangeOptions& options = {});

/// Time of stages that are pipelined in small chunks: all stages overlap (`slowest_stage`), or those on one
/// network take turns and only different networks overlap (`shared_network`).
Seconds pipelined_time(const std::vector<GradientStage>& stages, StageOverlap overlap);

/// Time to gather `buffer` bytes (whole) to every replica from shards: the last two stages of the hierarchy.
Seconds gather_time(const ReplicaGroups& groups, Bytes buffer, const Networks& networks, StageOverlap overlap,
                    const ExchangeOptions& options = {});

}  // namespace trainyard
