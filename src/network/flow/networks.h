// Networks of designs for the flow-level model: which links a flow between two hosts crosses.
//
// Hosts are the endpoints of the design's first network (topology.h), as in packet simulations. Folded Clos
// networks are computed from their structure, all others are searched as graphs over shortest paths.
//
//   - One path a flow (ecmp, flowlet, fixed): a plane and uplinks by hash, the same ones that the packet
//     engine takes for a flow of that number and seed.
//   - Sums of switches (sharp): a flow's bytes are even over the planes, in each on the tree of its group.
//   - Sprayed (all others): a flow's bytes are even over the planes and over all shortest paths of each. In a
//     folded Clos without failures all links up of a block carry the same, so they count as one link of their
//     capacities together, and so do those down; with failures every link counts by itself.
//
// With `failures_known` flows avoid links that are down. Else one path ends at them, and of a sprayed flow
// what meets them is lost and sent again: it arrives at a rate less than it is sent with.
#pragma once

#include <memory>
#include <optional>

#include "network/flow/network.h"
#include "trainyard/units.h"

namespace trainyard::wiring {
struct Layout;
}  // namespace trainyard::wiring

namespace trainyard {
enum class LoadBalancing;
struct ClosShape;
struct NetworkDesign;
}  // namespace trainyard

namespace trainyard::flow {

struct NetworkRules {
  LoadBalancing load_balancing{};  // the first: spray
  std::uint64_t seed = 1;
  bool failures = false;  // links may go down
  bool failures_known = true;
  bool sums = false;  // a flow's hash is its group, whose tree it takes in every plane; without failures
  Seconds link_delay{1e-6};
  Bytes packet{4096};                // stored and forwarded at every switch
  std::optional<Bytes> header = {};  // after which switches send on, unless they may do so by a faster link
};

/// Links between two tiers, one direction.
struct LinkKind {
  BytesPerSecond rate;
  Seconds delay;
};

/// Throws InputError for a network that is too large to be numbered or searched.
std::unique_ptr<Network> network_of(const NetworkDesign& design, const NetworkRules& rules);

/// A folded Clos network, sprayed, by its blocks: links h and hosts + h are those of host h up and down, the
/// others those of blocks. `kinds` as in wiring::lay_out.
std::unique_ptr<Network> sprayed_blocks(const ClosShape& shape, std::uint32_t planes,
                                        const std::vector<LinkKind>& kinds, const NetworkRules& rules);

/// A folded Clos network, link by link: a link is a port of the layout, in the direction away from it.
std::unique_ptr<Network> clos_links(std::shared_ptr<const wiring::Layout> layout,
                                    const std::vector<LinkKind>& kinds, const NetworkRules& rules);

/// The graph of any design: link 2 (p L + l) is the l-th of L in plane p from its lower end to the other, the
/// next one goes back.
std::unique_ptr<Network> graph_links(const NetworkDesign& design, const NetworkRules& rules);

/// A network with a table of routes, link by link as above. Nothing of it is down.
std::unique_ptr<Network> routed_links(std::shared_ptr<const wiring::Layout> layout,
                                      const NetworkRules& rules);

/// Whether a flow's bytes take one path.
bool takes_one_path(LoadBalancing choice);

/// Whether a folded Clos network has the trees over which switches sum.
bool has_sum_trees(const ClosShape& shape);

/// Whether links of a folded Clos network count by themselves: single paths, failures, and where links do not
/// divide evenly, so that a block's are not filled alike. Of uneven networks with more paths between two
/// hosts than are followed (some thousands), or of more tiers than a layout has, blocks stand for their
/// links.
bool link_by_link(const ClosShape& shape, const NetworkRules& rules);

}  // namespace trainyard::flow
