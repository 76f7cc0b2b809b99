// One tier of switches inside each HB domain, one chip a plane.
#include "topology/clos.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/topologies.h"

namespace trainyard::kinds {

const Topology& scale_up() {
  static const Topology topology = {
      .dealing = dealings::inside_domains(),
      .switches = SwitchType::packet,
      .joins_gateways = false,
      .counts_forwarding = false,
      .make = make_single_tier,
      .outline = Outline::tree,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

}  // namespace trainyard::kinds
