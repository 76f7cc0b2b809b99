// Collective operations over a group: bytes on the wire, delays, and time.
//
// Every algorithm is two numbers: the bytes that pass a rank's link one after another, over the rank's buffer
// of S bytes, and the delays that follow each other. With n ranks a reduce-scatter, an all-gather and an
// all-to-all each have to move (n-1)/n S through every rank's link, an all-reduce twice that (Thakur et al.
// 2005).
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/scenario/assumptions.h"
#include "trainyard/units.h"

namespace trainyard {

struct AllToAllPlan;
struct CollectiveCost;
struct GradientStage;
struct NetworkRate;
struct Networks;
struct ReplicaGroups;

/// Of n ranks, with S bytes a rank, rate B and delay a; the algorithm's file under all_reduces/ says how
/// much. `best` is refused: it is one of the others at a size.
CollectiveCost all_reduce_cost(AllReduce algorithm, std::int64_t ranks);

/// A reduce-scatter or an all-gather by the same algorithms, one pass of an all-reduce.
CollectiveCost scatter_cost(AllReduce algorithm, std::int64_t ranks);

/// Time of an all-reduce of `buffer` bytes a rank over n ranks; `best` is the quickest for this buffer.
Seconds all_reduce_time(std::int64_t ranks, Bytes buffer, const NetworkRate& network,
                        AllReduce algorithm = AllReduce::bandwidth);

/// The algorithm that `best` stands for at this size; any other is itself.
AllReduce algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer, const NetworkRate& network);
/// The same for one pass.
AllReduce scatter_algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer,
                                const NetworkRate& network);

/// An all-to-all of n ranks inside one network; the algorithm's file under all_to_alls/ says how much. `best`
/// is refused.
CollectiveCost all_to_all_cost(AllToAll algorithm, std::int64_t ranks);

/// Time of an all-to-all of `buffer` bytes a rank over groups of `local` ranks in each of `domains` HB
/// domains. All but `hierarchical` use the scale-out network alone where the group has several domains.
AllToAllPlan all_to_all_plan(AllToAll algorithm, std::int64_t local, std::int64_t domains, Bytes buffer,
                             const Networks& networks);

/// How a gradient exchange is carried out.
struct ExchangeOptions {
  AllReduce in_domain = AllReduce::bandwidth;
  AllReduce between_domains = AllReduce::bandwidth;
  bool keeps_shards = false;  // ZeRO 3: every device keeps the sum of its own part
  double delay_part = 1;      // of a delay between datacenters that each of these exchanges waits for
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
