#include "collective/all_reduces.h"

#include <algorithm>

#include "base/errors.h"

namespace trainyard {

const std::vector<RegisteredAllReduce>& all_reduces() {
  static const std::vector<RegisteredAllReduce> table = {
#define TRAINYARD_ALL_REDUCE(name, ...) {AllReduce::name, &all_reduce::name()},
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

}  // namespace trainyard
