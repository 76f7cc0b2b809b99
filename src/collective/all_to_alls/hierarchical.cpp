// Inside each HB domain to the rank that has the receiver's place there, and from there between domains, each
// pairwise.
#include <algorithm>

#include "collective/all_to_alls.h"
#include "collective/collective.h"
#include "collective/ranks.h"
#include "trainyard/traffic.h"

namespace trainyard::all_to_all {
namespace {

/// Inside one network there is one stage, as of `bandwidth`.
CollectiveCost cost(std::int64_t ranks) { return {others_share(ranks), 1}; }

/// The slower of (l-1)/l S on the one and (d-1)/d S on the other network, and l - 1 + d - 1 delays.
AllToAllPlan plan(const AllToAllCase& wanted, const Networks& networks) {
  if (wanted.domains <= 1) return on_one_network(AllToAll::pairwise, wanted, networks);
  const CollectiveCost near = all_to_all_cost(AllToAll::pairwise, wanted.local);
  const CollectiveCost far = all_to_all_cost(AllToAll::pairwise, wanted.domains);
  AllToAllPlan out{AllToAll::hierarchical, near.sent * wanted.buffer, far.sent * wanted.buffer, Seconds(0)};
  out.time = std::max(out.inside / networks.scale_up.rate, out.outside / networks.scale_out.rate) +
             near.rounds * networks.scale_up.delay + far.rounds * networks.scale_out.delay;
  return out;
}

}  // namespace

const AllToAllAlgorithm& hierarchical() {
  static const AllToAllAlgorithm algorithm = {
      .cost = cost, .plan = plan, .on_both_networks = true, .traffic = TrafficPattern::all};
  return algorithm;
}

}  // namespace trainyard::all_to_all
