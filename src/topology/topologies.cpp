#include "topology/topologies.h"

#include <algorithm>

#include "base/errors.h"
#include "trainyard/topology_kind.h"

namespace trainyard {

/// The records, each in a file of its own.
namespace kinds {
#define TRAINYARD_TOPOLOGY(name, ...) const Topology& name();
#include "trainyard/registries/topologies.def"
}  // namespace kinds

const std::vector<RegisteredTopology>& topologies() {
  static const std::vector<RegisteredTopology> table = {
#define TRAINYARD_TOPOLOGY(name, ...) {TopologyKind::name, &kinds::name()},
#include "trainyard/registries/topologies.def"
  };
  return table;
}

const Topology& topology_of(TopologyKind kind) {
  const auto found = std::find_if(topologies().begin(), topologies().end(),
                                  [&](const RegisteredTopology& entry) { return entry.kind == kind; });
  TY_ASSERT(found != topologies().end(), "a topology of the registry");
  return *found->topology;
}

}  // namespace trainyard
