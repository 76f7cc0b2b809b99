// To one other after another (Thakur et al. 2005, section 4).
#include "collective/all_to_alls.h"
#include "collective/ranks.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/traffic.h"

namespace trainyard::all_to_all {
namespace {

CollectiveCost cost(std::int64_t ranks) { return ring_pass(ranks); }

AllToAllPlan plan(const AllToAllCase& wanted, const Networks& networks) {
  return on_one_network(AllToAll::pairwise, wanted, networks);
}

}  // namespace

const AllToAllAlgorithm& pairwise() {
  static const AllToAllAlgorithm algorithm = {
      .cost = cost, .plan = plan, .on_both_networks = false, .traffic = TrafficPattern::all};
  return algorithm;
}

}  // namespace trainyard::all_to_all
