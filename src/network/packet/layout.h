// A folded Clos network as the packet engine sees it: nodes with numbered ports, and the port that leads to a
// host.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/packet.h"
#include "topology/topology.h"

namespace trainyard::packet {

/// Where the link of a port ends.
struct Wire {
  std::uint32_t node = 0;
  std::uint16_t in_port = 0;
};

/// A switch, or the hosts of one leaf, one port each.
struct Node {
  bool hosts = false;
  std::uint8_t tier = 0;          // of a switch: 0 at the leaf
  std::uint32_t block = 0;        // of its tier
  std::uint32_t first_port = 0;   // in Layout::wires
  std::uint32_t ports_down = 0;   // towards the hosts
  std::uint32_t ports = 0;        // of both
  std::uint32_t first_child = 0;  // in Layout::ways_down
};

/// Ports of a switch to one child: [first, first + count).
struct WayDown {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
};

/// One network and plane of a design. Hosts are endpoints of the fabric.
struct Layout {
  std::vector<Node> nodes;  // hosts by leaf first, then switches by tier
  std::vector<Wire> wires;  // of every port
  std::vector<WayDown> ways_down;
  std::vector<std::uint32_t> leaf_of_host;
  std::vector<std::uint16_t> index_of_host;               // among those of its leaf
  std::vector<std::vector<std::uint32_t>> block_of_leaf;  // of each tier
  std::vector<std::uint32_t> children;                    // of a block of each tier
  // Of the links between a switch and one above it, which an uplink is; by tier below and uplink.
  std::vector<std::vector<std::uint16_t>> copy_of_uplink;
  std::uint32_t leaves = 0;
  std::uint32_t uplinks_leaf = 0;         // 0 without a second tier
  std::uint32_t uplinks_aggregation = 0;  // 0 without a third
  std::uint32_t tiers = 1;
};

/// Throws InputError for what is no folded Clos network of at most three tiers.
Layout lay_out(const NetworkDesign& design);

/// The port by which a switch sends a packet on.
inline std::uint32_t port_towards(const Layout& layout, const Node& node, const Packet& packet) {
  if (layout.block_of_leaf[node.tier][packet.to_leaf] != node.block)
    return node.ports_down + (node.tier == 0 ? packet.up_leaf : packet.up_aggregation);
  if (node.tier == 0) return packet.to_host;
  const std::uint32_t below = layout.block_of_leaf[node.tier - 1U][packet.to_leaf];
  const std::uint32_t child = below - node.block * layout.children[node.tier];
  const WayDown way = layout.ways_down[node.first_child + child];
  if (way.count == 1) return way.first;
  // Of parallel links down, the one that matches the link up: spraying over uplinks fills all of them alike.
  const std::uint16_t up = node.tier == 1 ? packet.up_leaf : packet.up_aggregation;
  const std::uint32_t copy = layout.copy_of_uplink[node.tier - 1U][up];
  return way.first + (copy < way.count ? copy : copy % way.count);
}

}  // namespace trainyard::packet
