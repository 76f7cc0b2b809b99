#include "collective/all_to_alls.h"

#include <algorithm>

#include "base/errors.h"
#include "collective/collective.h"
#include "scenario/chosen_by.h"

namespace trainyard {

/// The records, each in a file of its own.
namespace all_to_all {
#define TRAINYARD_ALL_TO_ALL(name, ...) const AllToAllAlgorithm& name();
#include "trainyard/registries/all_to_alls.def"
}  // namespace all_to_all

const std::vector<RegisteredAllToAll>& all_to_alls() {
  static const std::vector<RegisteredAllToAll> table = {
#define TRAINYARD_ALL_TO_ALL(name, text, sentence, chosen_by) \
  {AllToAll::name, &all_to_all::name(), chosen_by},
#include "trainyard/registries/all_to_alls.def"
  };
  return table;
}

const AllToAllAlgorithm& all_to_all_of(AllToAll name) {
  const auto found = std::find_if(all_to_alls().begin(), all_to_alls().end(),
                                  [&](const RegisteredAllToAll& entry) { return entry.name == name; });
  TY_ASSERT(found != all_to_alls().end(), "best is one of the others at a size");
  return *found->algorithm;
}

AllToAllPlan on_one_network(AllToAll name, const AllToAllCase& wanted, const Networks& networks) {
  const bool across = wanted.domains > 1;
  const CollectiveCost cost = all_to_all_cost(name, wanted.local * wanted.domains);
  AllToAllPlan out{name, Bytes(0), Bytes(0), Seconds(0)};
  (across ? out.outside : out.inside) = cost.sent * wanted.buffer;
  out.time = cost.time(wanted.buffer, across ? networks.scale_out : networks.scale_up);
  return out;
}

}  // namespace trainyard
