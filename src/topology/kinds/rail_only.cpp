// A folded Clos for each rail; what goes to another rank crosses an HB domain (rail-only '23 section 3.1).
#include "topology/clos.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/topologies.h"

namespace trainyard::kinds {

const Topology& rail_only() {
  static const Topology topology = {
      .dealing = dealings::over_rails(),
      .switches = SwitchType::packet,
      .joins_gateways = true,
      .counts_forwarding = true,
      .make = make_clos,
      .outline = Outline::tree,
      .usual_title = "Rail-only",
      .mix = MixWords{"rails", "over rails"},
  };
  return topology;
}

}  // namespace trainyard::kinds
