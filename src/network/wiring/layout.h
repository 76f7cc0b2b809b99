// A folded Clos network as the packet engine sees it: nodes with numbered ports, and the port that leads to a
// host. Planes are copies of the switches; a host has one port in each.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "network/wiring/way.h"
#include "trainyard/picoseconds.h"
#include "trainyard/units.h"

namespace trainyard {
struct ClosShape;
struct Location;
struct NetworkDesign;
}  // namespace trainyard

namespace trainyard::wiring {

/// Speed and delay of links; the delay ends behind the receiving port.
struct LinkRules {
  Picoseconds delay = 1'000'000;
  std::uint64_t picoseconds_per_byte = 80;  // at 100 Gbps
  double bit_error_rate = 0;                // a packet with one wrong bit is lost
  std::uint64_t error_seed = 0;

  Picoseconds time(std::uint64_t bytes) const { return bytes * picoseconds_per_byte; }
};

/// Of a packet with so many bytes, each of whose bits is wrong with this probability.
inline double loss_probability(double bit_error_rate, double bytes) {
  return -std::expm1(kBitsPerByte * bytes * std::log1p(-bit_error_rate));
}

/// Where the link of a port ends. Ports are numbered alike in both directions.
struct Wire {
  std::uint32_t node = 0;
  std::uint16_t in_port = 0;
  std::uint16_t link = 0;  // in Layout::links
};

/// A switch, or the hosts of one leaf: port h * planes + p is that of host h in plane p.
struct Node {
  bool hosts = false;
  std::uint8_t tier = 0;  // of a switch: 0 at the leaf
  std::uint16_t plane = 0;
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

/// One network of a design, all its planes. Hosts are endpoints of the fabric.
struct Layout {
  std::vector<Node> nodes;  // hosts by leaf first, then plane by plane the switches by tier
  std::vector<Wire> wires;  // of every port
  std::vector<LinkRules>
      links;  // to the hosts, then between the tiers from the leaf up, then of single paths
  std::vector<WayDown> ways_down;
  std::vector<std::uint32_t> address_of_host;
  std::vector<std::uint32_t> first_host;                  // of each leaf, and the end
  std::vector<std::vector<std::uint32_t>> block_of_leaf;  // of each tier
  std::vector<std::uint32_t> children;                    // of a block of each tier
  // Of the links between a switch and one above it, which an uplink is; by tier below and uplink.
  std::vector<std::vector<std::uint16_t>> copy_of_uplink;
  // Where uplinks of a leaf differ in rate: the share of all before and including each, of 2^32. Else empty.
  std::vector<std::uint32_t> uplink_shares;
  std::uint32_t leaves = 0;
  std::uint32_t planes = 1;
  std::uint32_t uplinks_leaf = 0;         // 0 without a second tier
  std::uint32_t uplinks_aggregation = 0;  // 0 without a third
  std::uint32_t tiers = 1;

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(address_of_host.size()); }
  std::uint32_t host_at(std::uint32_t leaf, std::uint32_t index) const { return first_host[leaf] + index; }
  /// The host's port in a plane, in Layout::wires.
  std::uint32_t port_of_host(std::uint32_t host, std::uint32_t plane) const {
    const std::uint32_t at = address_of_host[host];
    return nodes[leaf_of(at)].first_port + host_of(at) * planes + plane;
  }
  const LinkRules& link_of(std::uint32_t port) const { return links[wires[port].link]; }
  Picoseconds shortest_delay() const;
  Picoseconds longest_delay() const;
  /// Links on the way between two hosts: 2, 4 or 6.
  std::uint32_t links_between(std::uint32_t from, std::uint32_t to) const;
  /// The tier at which two hosts' ways meet.
  std::uint32_t meeting_tier(std::uint32_t from, std::uint32_t to) const;
};

/// The network of a shape. `links` holds one entry, or one for the hosts and one for each pair of tiers.
/// Throws InputError at `where` for what is too large to be numbered.
Layout lay_out(const ClosShape& shape, std::uint32_t planes, const std::vector<LinkRules>& links,
               const Location& where);

/// The shape of a design's network. Throws InputError for what is no folded Clos network of at most three
/// tiers.
const ClosShape& clos_of(const NetworkDesign& design);

/// "leaf 3 of plane 0", "hosts of leaf 3".
std::string node_name(const Layout& layout, std::uint32_t node);

/// The port by which a switch sends a packet on.
inline std::uint32_t port_towards(const Layout& layout, const Node& node, const Way& packet) {
  const std::uint32_t to_leaf = leaf_of(packet.to);
  if (layout.block_of_leaf[node.tier][to_leaf] != node.block)
    return node.ports_down + (node.tier == 0 ? packet.up_leaf : packet.up_aggregation);
  if (node.tier == 0) return host_of(packet.to);
  const std::uint32_t below = layout.block_of_leaf[node.tier - 1U][to_leaf];
  const std::uint32_t child = below - node.block * layout.children[node.tier];
  const WayDown way = layout.ways_down[node.first_child + child];
  if (way.count == 1) return way.first;
  // Of parallel links down, the one that matches the link up: spraying over uplinks fills all of them alike.
  const std::uint16_t up = node.tier == 1 ? packet.up_leaf : packet.up_aggregation;
  const std::uint32_t copy = layout.copy_of_uplink[node.tier - 1U][up];
  return way.first + (copy < way.count ? copy : copy % way.count);
}

}  // namespace trainyard::wiring
