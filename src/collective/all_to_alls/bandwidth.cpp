// To all others at once.
#include "collective/all_to_alls.h"
#include "collective/ranks.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/traffic.h"

namespace trainyard::all_to_all {
namespace {

/// (n-1)/n S/B + a
CollectiveCost cost(std::int64_t ranks) { return {others_share(ranks), 1}; }

AllToAllPlan plan(const AllToAllCase& wanted, const Networks& networks) {
  return on_one_network(AllToAll::bandwidth, wanted, networks);
}

}  // namespace

const AllToAllAlgorithm& bandwidth() {
  static const AllToAllAlgorithm algorithm = {
      .cost = cost, .plan = plan, .on_both_networks = false, .traffic = TrafficPattern::all};
  return algorithm;
}

}  // namespace trainyard::all_to_all
