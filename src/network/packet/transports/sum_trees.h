// Trees of switches over which groups of hosts sum (Graham et al. 2016: aggregation trees), one in each
// plane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/packet/packet.h"
#include "network/wiring/layout.h"
#include "network/wiring/way.h"

namespace trainyard::packet {

/// In a folded Clos network a tree is the ways down from one switch of the lowest tier that all hosts of the
/// group have above them; which one is a hash of seed and group.
class SumTrees {
 public:
  static constexpr std::uint16_t kRoot = 0xFFFF;

  /// Where a tree goes on downwards.
  struct Child {
    std::uint16_t port = 0;
    std::uint32_t rank = kNobody;  // of the host there; kNobody: a switch
  };
  /// A switch in a tree.
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t group = 0;
    std::uint16_t parent = kRoot;  // its port up
    std::vector<Child> children = {};
  };

  /// `groups`: the hosts of each, by rank.
  SumTrees(const Layout& layout, const std::vector<std::vector<std::uint32_t>>& groups, std::uint64_t seed);

  const std::vector<Place>& places() const { return places_; }
  /// The number of a switch's place in a group's tree; kNobody: it has none.
  std::uint32_t find(std::uint32_t node, std::uint32_t group) const {
    const auto end = places_.begin() + first_place_[node + 1];
    const auto found = std::lower_bound(places_.begin() + first_place_[node], end, group,
                                        [](const Place& place, std::uint32_t g) { return place.group < g; });
    return found == end || found->group != group ? kNobody
                                                 : static_cast<std::uint32_t>(found - places_.begin());
  }
  /// The port of a switch in a tree towards a host of its group: where the host is not below, one that is no
  /// child's.
  std::uint32_t port_to(const Layout& layout, const Place& place, std::uint32_t host) const {
    wiring::Way way = ways_[place.group];
    way.to = layout.address_of_host[host];
    return wiring::port_towards(layout, layout.nodes[place.node], way);
  }
  /// Of all groups, the longest time of so many bytes from a host to its root, in which `sum_delay` passes at
  /// every switch that sums.
  Picoseconds longest_way_up(const Layout& layout, std::uint64_t bytes, Picoseconds sum_delay) const;
  std::size_t bytes() const;

 private:
  std::vector<wiring::Way> ways_;           // of each group
  std::vector<Place> places_;               // by node, then group
  std::vector<std::uint32_t> first_place_;  // of each node, and the end
};

}  // namespace trainyard::packet
