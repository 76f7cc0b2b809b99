// A folded Clos whose leaves take devices of one rank.
#include "topology/clos.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/topologies.h"

namespace trainyard::kinds {

const Topology& rail_optimized() {
  static const Topology topology = {
      .dealing = dealings::by_rank(),
      .switches = SwitchType::packet,
      .joins_gateways = true,
      .counts_forwarding = false,
      .make = make_clos,
      .outline = Outline::tree,
      .usual_title = "Rail-optimized Clos",
      .mix = MixWords{"rail-optimized", "leaves by rank"},
  };
  return topology;
}

}  // namespace trainyard::kinds
