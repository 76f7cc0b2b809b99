// A traffic matrix on a network: bytes on every kind of link, the worst link, how long it must take at least.
//
// Traffic inside an HB domain stays off the network. In a rail-only network, what goes to another rank first
// crosses the sender's HB domain to the device of that rank (rail-only '23 section 3.1). Packets are sprayed
// evenly over all shortest paths and planes. Traffic to other datacenters leaves through the gateways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct NetworkDesign;
struct TrafficMatrix;
enum class TrafficKind;

/// A kind of the traffic alone; nothing: all of it.
using TrafficPart = std::optional<TrafficKind>;

/// How packets find their way.
enum class RoutingRule {
  minimal,  // over shortest paths
  valiant,  // over a random switch each (Valiant 1982): twice the way, no worst case
};

/// Loads of one class of links; a link's load is the larger of its directions.
struct LinkLoad {
  std::string name;
  double links = 0;
  double idle = 0;  // links that carry nothing either way
  Bytes worst;
  Bytes mean;
};

struct NetworkLoad {
  std::vector<LinkLoad> links;  // in the order of the design's counts
  Bytes offered;                // between HB domains; of a scale-up network, inside them
  Bytes forwarded;              // through HB domains on top, because ranks are apart
  std::string worst_link;
  Seconds bound;          // bytes over rate of the worst link: no transport is faster
  Seconds host_bound;     // what the hosts' own bytes need on a network without limits
  double idle_share = 0;  // links that carry nothing
  double share() const { return bound.si() > 0 ? host_bound / bound : 1; }
};

/// By blocks of the tree, without a graph; only for folded Clos networks. Spraying is even over a block's
/// links.
NetworkLoad load_by_symmetry(const NetworkDesign& design, const TrafficMatrix& matrix);

/// By walking the graph of one plane. Throws InputError when the graph or the number of pairs is too large.
NetworkLoad load_on_graph(const NetworkDesign& design, const TrafficMatrix& matrix,
                          RoutingRule rule = RoutingRule::minimal);

/// By symmetry where there is a tree, else on the graph; between switches by the better of both routing
/// rules, as adaptive routing would choose.
NetworkLoad load_of(const NetworkDesign& design, const TrafficMatrix& matrix);

/// Whether loads follow from whole HB domains of a folded Clos network, in some ms for a million hosts: all
/// devices of a domain do the same. Else they follow from every device. Throws InputError as load_of() does.
bool follows_domains(const NetworkDesign& design, const TrafficMatrix& matrix);

/// load_of() of each of these parts, together in less time than one by one.
std::vector<NetworkLoad> loads_of(const NetworkDesign& design, const TrafficMatrix& matrix,
                                  const std::vector<TrafficPart>& parts);

/// By a rule's name: symmetric, minimal or valiant; "" for load_of(). Throws InputError on another name, and
/// for symmetric on a network that is no folded Clos.
NetworkLoad load_of(const NetworkDesign& design, const TrafficMatrix& matrix, const std::string& routing);

/// Named patterns over a design's hosts, each host sending `bytes`: permutation, incast, all_to_all, ring,
/// hierarchical_all_reduce, pipeline. Throws InputError on another name. `seed` makes the permutation.
TrafficMatrix named_traffic(const NetworkDesign& design, const std::string& name, Bytes bytes,
                            std::uint64_t seed);
const std::vector<std::string>& traffic_names();
/// Whether a seed makes the named pattern.
bool is_drawn(const std::string& traffic);

/// A matrix from CSV with the header from,to,bytes; device numbers as in topology.h. Throws InputError with
/// line.
TrafficMatrix read_traffic(const std::string& path, const NetworkDesign& design);

}  // namespace trainyard
