#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"

namespace trainyard {

NetworkLoad load_of(const NetworkDesign& design, const TrafficMatrix& matrix, const std::string& routing) {
  if (routing == "symmetric") {
    if (!design.fabric->clos())
      fail_input(whole("--routing"), "design '" + design.input.name + "' is no folded Clos network",
                 "allowed for it: minimal, valiant");
    return load_by_symmetry(design, matrix);
  }
  if (routing == "minimal") return load_on_graph(design, matrix, RoutingRule::minimal);
  if (routing == "valiant") return load_on_graph(design, matrix, RoutingRule::valiant);
  if (routing.empty()) return load_of(design, matrix);
  fail_input(whole("--routing"), "no routing '" + routing + "'",
             suggestion(routing, {"symmetric", "minimal", "valiant"}));
}

}  // namespace trainyard
