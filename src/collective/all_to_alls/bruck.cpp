// Parts go on in log2 n steps (Bruck et al. 1997).
#include <algorithm>
#include <cmath>

#include "collective/all_to_alls.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/traffic.h"

namespace trainyard::all_to_all {
namespace {

/// Parts of the buffer that go on, summed over the steps: of the distances below n, those that have the
/// step's bit.
double parts(std::int64_t ranks) {
  double sum = 0;
  for (std::int64_t bit = 1; bit < ranks; bit *= 2) {
    const std::int64_t rest = ranks % (2 * bit) - bit;
    sum += real(ranks / (2 * bit) * bit + std::max<std::int64_t>(0, rest));
  }
  return sum;
}

/// For each of the ceil(log2 n) bits of a distance, a and the parts of the buffer whose distance has it: n/2
/// of n where n is a power of two.
CollectiveCost cost(std::int64_t ranks) {
  return {parts(ranks) / real(ranks), std::ceil(std::log2(real(ranks)))};
}

AllToAllPlan plan(const AllToAllCase& wanted, const Networks& networks) {
  return on_one_network(AllToAll::bruck, wanted, networks);
}

}  // namespace

const AllToAllAlgorithm& bruck() {
  static const AllToAllAlgorithm algorithm = {
      .cost = cost, .plan = plan, .on_both_networks = false, .traffic = TrafficPattern::all};
  return algorithm;
}

}  // namespace trainyard::all_to_all
