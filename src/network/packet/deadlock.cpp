#include "network/packet/deadlock.h"

namespace trainyard::packet {

std::string node_name(const Layout& layout, std::uint32_t index) {
  const Node& node = layout.nodes[index];
  if (node.hosts) return fmt::format("hosts of leaf {}", index);
  std::uint32_t first = index;  // of its tier and plane
  while (first > 0) {
    const Node& before = layout.nodes[first - 1];
    if (before.hosts || before.tier != node.tier || before.plane != node.plane) break;
    --first;
  }
  const std::uint32_t number = index - first;
  const std::string plane = layout.planes > 1 ? fmt::format(" of plane {}", node.plane) : "";
  if (node.tier == 0) return fmt::format("leaf {}{}", number, plane);
  if (node.tier + 1U < layout.tiers) return fmt::format("aggregation switch {}{}", number, plane);
  return fmt::format("spine {}{}", number, plane);
}

}  // namespace trainyard::packet
