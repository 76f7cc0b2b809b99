// A ring whose delays overlap, as both papers count: every byte passes, and one delay a pass.
#include "collective/all_reduces.h"
#include "collective/ranks.h"
#include "trainyard/traffic.h"

namespace trainyard::all_reduce {
namespace {

/// 2 (n-1)/n S/B + 2 a
CollectiveCost all_reduce(std::int64_t ranks) {
  return {kAllReducePasses * others_share(ranks), kAllReducePasses};
}

/// (n-1)/n S/B + a
CollectiveCost pass(std::int64_t ranks) { return {others_share(ranks), 1}; }

}  // namespace

const AllReduceAlgorithm& bandwidth() {
  static const AllReduceAlgorithm algorithm = {
      .all_reduce = all_reduce,
      .pass = pass,
      .traffic = TrafficPattern::ring,
      .measured_rings = MeasuredRings::everywhere,
      .is_ring = true,
      .schedules = {},
  };
  return algorithm;
}

}  // namespace trainyard::all_reduce
