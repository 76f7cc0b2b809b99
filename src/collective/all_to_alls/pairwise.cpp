// To one other after another (Thakur et al. 2005, section 4).
#include "collective/all_to_alls.h"
#include "collective/ranks.h"

namespace trainyard::all_to_all {
namespace {

/// (n-1)/n S/B + (n-1) a
CollectiveCost cost(std::int64_t ranks) { return {others_share(ranks), real(ranks) - 1}; }

AllToAllPlan plan(const AllToAllCase& wanted, const Networks& networks) {
  return on_one_network(AllToAll::pairwise, wanted, networks);
}

}  // namespace

const AllToAllAlgorithm& pairwise() {
  static const AllToAllAlgorithm algorithm = {.cost = cost,
                                              .plan = plan,
                                              .on_both_networks = false,
                                              .among_best = true,
                                              .traffic = TrafficPattern::all};
  return algorithm;
}

}  // namespace trainyard::all_to_all
