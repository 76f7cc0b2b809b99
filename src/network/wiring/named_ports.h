// Ports of a network by the names that scenarios give its nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/wiring/layout.h"

namespace trainyard {
struct SectionPlaces;
}  // namespace trainyard

namespace trainyard::wiring {

struct Layout;
struct Wire;

/// "leaf 3", "aggregation 0", "spine 1" or "host 7", or one of a switch's links up.
struct NodeName {
  const char* section;  // that says it, for errors: "failure"
  const std::string& node;
  std::optional<std::int64_t> uplink;  // empty: every link of the node
  std::int64_t plane = 0;
  const std::shared_ptr<const SectionPlaces>& places;
};

/// The node's own ends of the links that are named. Throws InputError for a node or an uplink that is not
/// there.
std::vector<std::uint32_t> named_ports(const Layout& layout, const NodeName& name);

/// What a port sends from and to: "leaf 0 to host 7", "leaf 0 port 9 to spine 1".
std::string port_name(const Layout& layout, std::uint32_t port);

/// The port at the other end of a port's link.
inline std::uint32_t opposite(const Layout& layout, std::uint32_t port) {
  const Wire& wire = layout.wires[port];
  return layout.nodes[wire.node].first_port + wire.in_port;
}

}  // namespace trainyard::wiring
