// Collective operations over a group: bytes on the wire and time.
//
// Ring algorithms, bandwidth terms (Thakur et al. 2005; Narayanan et al. 2021, section 3.2): with n ranks and
// a buffer of S bytes a rank, reduce-scatter and all-gather each move (n-1)/n S through every rank's link, an
// all-reduce twice that. An all-to-all moves the same (n-1)/n S as a reduce-scatter.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/parallel.h"
#include "trainyard/networks.h"
#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

/// Time of a reduce-scatter, an all-gather or an all-to-all of `buffer` bytes a rank over n ranks.
Seconds scatter_time(std::int64_t ranks, Bytes buffer, const NetworkRate& network);

/// What an all-reduce costs each rank.
struct AllReduceCost {
  double sent = 0;    // bytes that pass a rank's link one after another, over the buffer
  double rounds = 0;  // delays, one after another
};

/// Of n ranks, with S bytes a rank, rate B and delay a (Thakur et al. 2005, section 4; Sanders et al. 2009
/// for the trees; Graham et al. 2016 for switches that sum):
///   bandwidth         2 (n-1)/n S/B + 2 a
///   ring              2 (n-1)/n S/B + 2 (n-1) a
///   halving_doubling  2 (n-1)/n S/B + 2 log2(n) a; 2 S/B + 2 a more where n is not a power of two, whose
///   rest
///                     sends its buffer to a partner first and gets the sum at the end
///   tree              2 S/B + 2 ceil(log2(n+1)) a, two trees at half of the buffer each, in small chunks
///   in_network        S/B + 2 a
AllReduceCost all_reduce_cost(AllReduce algorithm, std::int64_t ranks);

/// Time of an all-reduce of `buffer` bytes a rank over n ranks; `best` is the quickest for this buffer.
Seconds all_reduce_time(std::int64_t ranks, Bytes buffer, const NetworkRate& network,
                        AllReduce algorithm = AllReduce::bandwidth);

/// The algorithm that `best` stands for at this size; any other is itself.
AllReduce algorithm_for(AllReduce algorithm, std::int64_t ranks, Bytes buffer, const NetworkRate& network);

/// The stages of summing `buffer` bytes a device over the replicas. Hierarchical kinds: HotNets '24
/// section 4.1, with the first two all-reduces, or with reduce-scatters in their place (half the bytes; same
/// result, since the all-gathers of stages 4 and 5 follow either way).
std::vector<GradientStage> gradient_stages(GradientExchange kind, const ReplicaGroups& groups, Bytes buffer,
                                           const Networks& networks);

/// Time of stages that are pipelined in small chunks: all stages overlap (`slowest_stage`), or those on one
/// network take turns and only different networks overlap (`shared_network`).
Seconds pipelined_time(const std::vector<GradientStage>& stages, StageOverlap overlap);

/// Time to gather `buffer` bytes (whole) to every replica from shards: the last two stages of the hierarchy.
Seconds gather_time(const ReplicaGroups& groups, Bytes buffer, const Networks& networks,
                    StageOverlap overlap);

}  // namespace trainyard
