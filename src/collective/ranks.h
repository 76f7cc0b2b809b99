// Shares and counts of ranks, for closed forms of collectives.
#pragma once

#include <cstdint>

#include "collective/collective_cost.h"
#include "trainyard/units.h"

namespace trainyard {

/// An all-reduce is a reduce-scatter and an all-gather.
constexpr int kAllReducePasses = 2;

/// (n-1)/n
constexpr double others_share(std::int64_t ranks) { return ranks > 1 ? (real(ranks) - 1) / real(ranks) : 0; }

/// Once around a ring, to one other after another: (n-1)/n S/B + (n-1) a
constexpr CollectiveCost ring_pass(std::int64_t ranks) { return {others_share(ranks), real(ranks) - 1}; }

}  // namespace trainyard
