// Two binary trees, at half of the buffer each, in small chunks (Sanders et al. 2009).
#include <cmath>

#include "collective/all_reduces.h"
#include "collective/ranks.h"
#include "trainyard/traffic.h"

namespace trainyard::all_reduce {
namespace {

/// 2 S/B + 2 ceil(log2(n+1)) a
CollectiveCost all_reduce(std::int64_t ranks) {
  return {kAllReducePasses, kAllReducePasses * std::ceil(std::log2(real(ranks) + 1))};
}

/// (n-1)/n S/B + ceil(log2 n) a, a binomial tree for each rank's part (Bruck et al. 1997).
CollectiveCost pass(std::int64_t ranks) { return {others_share(ranks), std::ceil(std::log2(real(ranks)))}; }

}  // namespace

const AllReduceAlgorithm& tree() {
  static const AllReduceAlgorithm algorithm = {
      .all_reduce = all_reduce,
      .pass = pass,
      .traffic = TrafficPattern::ring,
      .measured_rings = MeasuredRings::nowhere,
      .is_ring = false,
      .schedules = {},
  };
  return algorithm;
}

}  // namespace trainyard::all_reduce
