// Fat trees: hosts in the order of their racks (Al-Fares et al. 2008).
#include "topology/clos.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/topologies.h"

namespace trainyard::kinds {

const Topology& fat_tree() {
  static const Topology topology = {
      .dealing = dealings::in_order(),
      .switches = SwitchType::packet,
      .joins_gateways = true,
      .counts_forwarding = false,
      .make = make_clos,
      .outline = Outline::tree,
      .usual_title = "Fat tree",
      .mix = MixWords{"fat tree", "racks in order"},
  };
  return topology;
}

}  // namespace trainyard::kinds
