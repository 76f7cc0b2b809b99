// A network as the packet engine sees it: nodes with numbered ports, and the port that leads to a host.
// Planes are copies of the switches; a host has one port in each. In folded Clos networks of at most three
// tiers ports follow from addresses, in others from a table of routes.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/mixing.h"
#include "network/wiring/byte_time.h"
#include "network/wiring/routes.h"
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
  ByteTime picoseconds_per_byte = 80;  // at 100 Gbps
  double bit_error_rate = 0;           // a packet with one wrong bit is lost
  std::uint64_t error_seed = 0;
  bool passes_through = false;  // from a host to a port of its own, which sends what arrives as it arrives

  /// One at least for a packet: of two that arrived at one time nobody could say which was first.
  Picoseconds time(std::uint64_t bytes) const {
    const Picoseconds out = picoseconds_per_byte.of_bytes(bytes);
    if (out == 0 && bytes != 0) [[unlikely]]
      return 1;
    return out;
  }
  /// Between the first bit's departure and the last one's arrival, without the delay.
  Picoseconds time_on_way(std::uint64_t bytes) const { return passes_through ? 0 : time(bytes); }
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

/// A switch, or the hosts of one leaf: port h * planes + p is that of host h in plane p. Where there are no
/// leaves, hosts with consecutive numbers at one switch are one.
struct Node {
  bool hosts = false;
  std::uint8_t tier = 0;  // of a switch: 0 at the leaf
  std::uint16_t plane = 0;
  std::uint32_t block = 0;        // of its tier; with routes: its number among the switches of the plane
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

/// Alike switches of a plane, by the number of the first.
struct SwitchRun {
  std::string name;  // "leaf"
  std::uint32_t begin = 0;
};

/// The shortest ways between two hosts.
struct Reach {
  std::uint32_t links = 0;  // between their leaves
  std::uint32_t abreast =
      1;  // with routes: links by which packets can leave the one's switch and reach the other's
  std::uint32_t from = 0;  // where links differ, so that it matters
  std::uint32_t to = 0;
};

/// HB domains and networks in one layout: device d of all datacenters is the hosts 2 d, for its NICs, and
/// 2 d + 1, for its port to its HB domain, at a switch of its own, which forwards.
struct Devices {
  std::vector<std::uint32_t> first_of_domain;  // and the end
  std::vector<std::uint32_t> domain;           // of each device
  std::vector<char> is_domain;                 // of each switch of a plane: it stands for an HB domain
  Reach longest;

  bool empty() const { return domain.empty(); }
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
  // Where it is no folded Clos network of at most three tiers; else empty.
  Routes routes;
  Devices devices;  // empty: a host each
  std::vector<SwitchRun> switch_runs;
  std::vector<std::string> link_names;
  std::vector<std::uint64_t> queue_bytes;  // of each port, where they differ; else empty
  std::uint32_t slowed = 0;                // how many of `links`, the last ones, stand for failures
  std::uint32_t leaves = 0;
  std::uint32_t planes = 1;
  std::uint32_t uplinks_leaf = 0;         // 0 without a second tier; with routes: paths
  std::uint32_t uplinks_aggregation = 0;  // 0 without a third
  std::uint32_t tiers = 1;

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(address_of_host.size()); }
  std::uint32_t host_at(std::uint32_t leaf, std::uint32_t index) const { return first_host[leaf] + index; }
  /// The host's port in a plane, in Layout::wires.
  std::uint32_t port_of_host(std::uint32_t host, std::uint32_t plane) const {
    const std::uint32_t at = address_of_host[host];
    return nodes[leaf_of(at)].first_port + host_of(at) * planes + plane;
  }
  /// The plane by which a host sends first: hosts' numbers, whatever their pattern, fall evenly on planes.
  std::uint32_t first_plane_of(std::uint32_t host) const {
    constexpr std::uint32_t kGoldenRatio = 0x9E3779B9;  // of 2^32
    const std::uint32_t mixed = host * kGoldenRatio;    // modulo 2^32
    return below(std::uint64_t{mixed} << 32U, planes);
  }
  /// Its link in any plane.
  const LinkRules& host_link(std::uint32_t host) const {
    return devices.empty() ? links.front() : link_of(port_of_host(host, 0));
  }
  /// What one plane's ways from host to host take for a byte: where links differ, the slowest of them, else
  /// the hosts' own.
  ByteTime slowest_byte(std::uint32_t from, std::uint32_t to) const;
  /// The hosts that stand for devices where one sends to another: their NICs, or their ports to HB domains.
  std::uint32_t sending_host(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t receiving_host(std::uint32_t from, std::uint32_t to) const;
  /// Whether a port is a device's own, which hands over what has arrived: it takes no time.
  bool hands_over(const Node& at, std::uint32_t port) const {
    return !devices.empty() && !at.hosts && nodes[wires[port].node].hosts;
  }
  std::uint32_t hosts_of_device() const { return devices.empty() ? 1 : 2; }
  std::size_t wired_links() const { return links.size() - slowed; }
  const LinkRules& link_of(std::uint32_t port) const { return links[wires[port].link]; }
  Picoseconds shortest_delay() const;
  Picoseconds longest_delay() const;
  /// Of so many bytes on the slowest link; at least 1.
  Picoseconds longest_time(std::uint32_t bytes) const;
  /// Links on the shortest way between two hosts, and between those that are farthest apart.
  std::uint32_t links_between(std::uint32_t from, std::uint32_t to) const {
    return reach(from, to).links + 2;
  }
  std::uint32_t most_links() const { return longest_reach().links + 2; }
  Reach reach(std::uint32_t from, std::uint32_t to) const;
  Reach longest_reach() const;
  /// Calls visit(link, count) for the links of a shortest way, those of the hosts first. Where links between
  /// switches differ and nobody says between which hosts, all are as long and as slow as any.
  template <class Visit>
  void visit_links(Reach reach, const Visit& visit) const {
    if (!devices.empty()) return visit_way(reach, visit);
    if (!routes.empty() && reach.links > 0 && links_differ()) {
      if (reach.from != reach.to) return visit_way(reach, visit);
      visit(links[0], 2U);
      return visit(worst_link(), reach.links);
    }
    visit(links[0], 2U);
    if (!routes.empty()) {
      if (reach.links > 0) visit(links[1], reach.links);
      return;
    }
    for (std::uint32_t t = 1; t <= reach.links / 2; ++t) visit(links[t], 2U);
  }
  /// The switches of a plane and the port by which each sends a packet on, on the first of the shortest ways:
  /// visit(number, port).
  template <class Visit>
  void walk(std::uint32_t from, std::uint32_t to, const Visit& visit) const {
    const std::uint32_t goal = leaf_of(address_of_host[to]);
    std::uint32_t at = routes.switch_of_leaf(leaf_of(address_of_host[from]));
    while (at != routes.switch_of_leaf(goal)) {
      const std::uint32_t port = nodes[leaves + at].first_port + routes.first_port(at, goal);
      visit(at, port);
      at = nodes[wires[port].node].block;
    }
  }
  /// The tier of a folded Clos network at which two hosts' ways meet.
  std::uint32_t meeting_tier(std::uint32_t from, std::uint32_t to) const;
  /// Whether packets can carry this.
  bool is_way(std::uint16_t up_leaf, std::uint16_t up_aggregation) const {
    if (!routes.empty()) return up_leaf < routes.paths() && routes.is_detour(up_aggregation);
    return (up_leaf == 0 || up_leaf < uplinks_leaf) &&
           (up_aggregation == 0 || up_aggregation < uplinks_aggregation);
  }

 private:
  /// With routes: whether some links between switches are unlike others.
  bool links_differ() const;
  /// The longest delay and the lowest rate of them.
  LinkRules worst_link() const;
  template <class Visit>
  void visit_way(Reach reach, const Visit& visit) const {
    const Wire& first = wires[port_of_host(reach.from, 0)];
    visit(links[first.link], 1U);
    walk(reach.from, reach.to,
         [&](std::uint32_t, std::uint32_t port) { visit(links[wires[port].link], 1U); });
    const Wire& last = wires[port_of_host(reach.to, 0)];
    visit(links[wires[nodes[last.node].first_port + last.in_port].link], 1U);
  }
};

/// The network of a shape. `links` holds one entry, or one for the hosts and one for each pair of tiers.
/// Throws InputError at `where` for what is too large to be numbered.
Layout lay_out(const ClosShape& shape, std::uint32_t planes, const std::vector<LinkRules>& links,
               const Location& where);

/// One network of a design with links like this one, of any topology. Where hosts are joined to each other,
/// each has a switch of its own behind a link as fast as all its others together, with a sixteenth of their
/// delay. Throws InputError for what cannot be routed, or is too large to be numbered.
Layout lay_out(const NetworkDesign& design, const LinkRules& link);

/// What differs between the links of a whole datacenter, or of several.
struct JoinedRules {
  LinkRules link;         // of the networks
  BitRate scale_up_rate;  // of a device's port to its HB domain, all planes together
  Picoseconds domain_delay = 0;
  bool all_datacenters = false;
  std::vector<std::vector<Seconds>> site_delays = {};  // between datacenters, one way
};

/// All networks of a design in one layout, with its HB domains, and its datacenters where they are asked for.
/// A device forwards what reaches its destination by no HB domain and by no network alone (joined_paths.h);
/// what it sends itself leaves its ports as its hosts' links send it. Throws InputError as above.
Layout lay_out_joined(const NetworkDesign& design, const JoinedRules& rules);

/// In which run of switches one of a plane stands.
std::size_t run_of(const Layout& layout, std::uint32_t number);

/// "leaf 3 of plane 0", "hosts of leaf 3".
std::string node_name(const Layout& layout, std::uint32_t node);

/// The port by which a switch of a folded Clos network sends a packet on.
[[gnu::always_inline]] inline std::uint32_t port_towards(const Layout& layout, const Node& node,
                                                         const Way& packet) {
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

/// The port by which a switch sends a packet on; with routes, notes in it where it has been.
[[gnu::always_inline]] inline std::uint32_t take_port(const Layout& layout, const Node& node, Way& packet) {
  if (!layout.routes.empty()) return layout.routes.take(node.block, packet);
  return port_towards(layout, node, packet);
}

/// Calls for the ports by which a switch could send a packet on as well, from `port`, which is that of its
/// path, on.
template <class Visit>
void visit_choices(const Layout& layout, const Node& node, const Way& packet, std::uint32_t port,
                   const Visit& visit) {
  if (!layout.routes.empty()) return layout.routes.visit_choices(node.block, packet, port, visit);
  if (port < node.ports_down) return visit(port);
  for (std::uint32_t at = port; at < node.ports; ++at) visit(at);
  for (std::uint32_t at = node.ports_down; at < port; ++at) visit(at);
}

/// Whether a packet that came in there has just left its host, for another place than the one it is meant
/// for.
inline bool begins_detour(const Layout& layout, const Node& node, std::uint32_t in_port, const Way& packet) {
  return packet.up_aggregation != 0 && layout.nodes[layout.wires[node.first_port + in_port].node].hosts &&
         layout.routes.switch_of_leaf(leaf_of(packet.to)) != node.block;
}

}  // namespace trainyard::wiring
