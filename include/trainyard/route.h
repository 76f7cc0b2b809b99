// The ways between two devices of a network design.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

struct NetworkDesign;

/// Where a packet may go from one device to another.
struct RouteAnswer {
  std::string design;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::vector<std::string> failed;
  std::vector<std::string> nodes;  // of the path that ECMP picks; empty: there is no way
  std::vector<std::string> kinds;  // of its links
  double paths = 0;                // shortest paths by nodes: what spraying uses
  bool through_domain = false;     // forwarded by a device of an HB domain
};

/// Asks the routing of a design, HB domains included. `flow` is what ECMP hashes; failed nodes are named as
/// in a cable list, "leaf 3 of network 0". Throws InputError for unknown devices and names.
RouteAnswer find_route(const NetworkDesign& design, std::int64_t from, std::int64_t to, std::uint64_t flow,
                       const std::vector<std::string>& failed);

}  // namespace trainyard
