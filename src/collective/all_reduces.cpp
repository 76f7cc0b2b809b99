#include "collective/all_reduces.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/errors.h"
#include "scenario/chosen_by.h"
#include "trainyard/scenario/assumptions.h"

namespace trainyard {

/// The records, each in a file of its own.
namespace all_reduce {
#define TRAINYARD_ALL_REDUCE(name, ...) const AllReduceAlgorithm& name();
#include "trainyard/registries/all_reduces.def"
}  // namespace all_reduce

namespace {

/// The traffics that the list names are those that the record has.
RegisteredAllReduce registered(AllReduce name, const AllReduceAlgorithm& algorithm, ChosenBy chosen_by,
                               std::string_view traffics) {
  std::string made;
  for (const CollectiveSchedule& schedule : algorithm.schedules) {
    if (!made.empty()) made += ", ";
    made += schedule.traffic;
  }
  TY_ASSERT(made == traffics, "traffics of a record: " + made);
  return {name, &algorithm, chosen_by};
}

}  // namespace

const std::vector<RegisteredAllReduce>& all_reduces() {
  static const std::vector<RegisteredAllReduce> table = {
#define TRAINYARD_ALL_REDUCE(name, text, sentence, chosen_by, traffics) \
  registered(AllReduce::name, all_reduce::name(), chosen_by, traffics),
#include "trainyard/registries/all_reduces.def"
  };
  return table;
}

const AllReduceAlgorithm& all_reduce_of(AllReduce name) {
  const auto found = std::find_if(all_reduces().begin(), all_reduces().end(),
                                  [&](const RegisteredAllReduce& entry) { return entry.name == name; });
  TY_ASSERT(found != all_reduces().end(), "best is one of the others at a size");
  return *found->algorithm;
}

bool measured_rings_stand_for(AllReduce name, bool known_group) {
  if (name == AllReduce::best) return false;
  const MeasuredRings where = all_reduce_of(name).measured_rings;
  return where == MeasuredRings::everywhere || (where == MeasuredRings::in_known_groups && known_group);
}

}  // namespace trainyard
