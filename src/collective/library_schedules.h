// Transfers of the collectives that libraries run beside rings, step by step.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/schedule.h"

namespace trainyard {

/// NCCL's PAT, parallel aggregated trees (Jeaugey, arXiv:2506.20252), with room for all that a step
/// aggregates: a binomial tree for each rank's piece, the farthest partner first. In step k a rank sends
/// min(2^k, what is left) pieces. Steps: ceil(log2 n). A rank sends S (n - 1) / n.
const CollectiveSchedule& pat_all_gather();
/// The same backwards, the nearest partner first.
const CollectiveSchedule& pat_reduce_scatter();

/// Switches sum on the way up and copy on the way down, at the rate of their links (Graham et al. 2016;
/// NVLink SHARP): whatever the tree of switches, a link carries the buffer once up and once down. Hosts that
/// send theirs to the next one, in the order of the network, put just that on every link: one host in each
/// part of the network sends out of it. A reduce-scatter carries all of it up and an all-gather down, and
/// less the other way: its links are as busy as these flows make them in the direction that decides.
/// Steps: 1. A rank sends S.
const CollectiveSchedule& in_network();

/// A rank of a binary tree.
struct TreeRank {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t parent = kNone;
  std::vector<std::uint32_t> children;
};

/// The binary trees of which NCCL's double tree is made (Sanders, Speck, Traeff 2009): in the first, odd
/// ranks are leaves; the second is the first in ranks counted from the other end, or, of an odd number,
/// shifted by one. Height: ceil(log2 n).
std::vector<TreeRank> first_tree(std::uint32_t ranks);
std::vector<TreeRank> second_tree(std::uint32_t ranks);

}  // namespace trainyard
