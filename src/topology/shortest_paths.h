// Shortest paths through a graph, in links: who passes packets on, how far nodes are from a destination,
// which links bring a packet closer, and how it is sprayed over them. Paths of flows (routing.h), loads of
// traffic matrices (loads.h) and the flow-level simulator rest on these.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "topology/graph.h"

namespace trainyard {

class ShortestPaths {
 public:
  explicit ShortestPaths(const Graph& graph);

  const Adjacency& adjacency() const { return adjacency_; }

  /// Whether a node passes on what others send: switches and gateways do, hosts where no switch stands
  /// between them. HB domains, and hosts into them, only `through_domains`.
  bool forwards(std::uint32_t node, bool through_domains = false) const {
    return through_domains || forwards_[node] != 0;
  }

  /// The distance of a node from which no way leads.
  template <class Distance>
  static constexpr Distance kFar = std::numeric_limits<Distance>::max();

  /// Links from every node to `to`, breadth first against the direction of packets. `distance` holds kFar for
  /// every node before; `order` becomes the nodes that were reached, nearest first.
  /// usable(node, hop): whether a packet at `node` may take that link.
  template <class Distance, class Usable>
  void search(std::uint32_t to, const Usable& usable, std::vector<Distance>& distance,
              std::vector<std::uint32_t>& order, bool through_domains = false) const {
    order.assign(1, to);
    distance[to] = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t node = order[i];
      if (node != to && !forwards(node, through_domains)) continue;
      for (const Hop& hop : adjacency_.of(node)) {
        if (distance[hop.node] != kFar<Distance> || (is_domain_[hop.node] != 0 && !through_domains) ||
            !usable(hop.node, Hop{node, hop.link}))
          continue;
        distance[hop.node] = static_cast<Distance>(distance[node] + 1);
        order.push_back(hop.node);
      }
    }
  }

  /// Calls for the links that bring a packet at a node one closer, given distance_of(node) to its
  /// destination.
  template <class DistanceOf, class Usable, class Visit>
  void visit_closer(std::uint32_t node, const DistanceOf& distance_of, const Usable& usable,
                    const Visit& visit, bool through_domains = false) const {
    const auto here = distance_of(node);
    if (here == 0 || here == kFar<decltype(distance_of(node))>) return;
    for (const Hop& hop : adjacency_.of(node)) {
      const auto there = distance_of(hop.node);
      if (there != here - 1 || (there != 0 && !forwards(hop.node, through_domains)) || !usable(node, hop))
        continue;
      visit(hop);
    }
  }

  /// Hands what is at a node on, evenly over those links: take(hop, part).
  template <class DistanceOf, class Usable, class Take>
  void spray(std::uint32_t node, double amount, const DistanceOf& distance_of, const Usable& usable,
             const Take& take) const {
    double ways = 0;
    visit_closer(node, distance_of, usable, [&](const Hop&) { ++ways; });
    const double part = amount / ways;
    visit_closer(node, distance_of, usable, [&](const Hop& hop) { take(hop, part); });
  }

 private:
  Adjacency adjacency_;
  std::vector<char> forwards_;  // of each node, without HB domains
  std::vector<char> is_domain_;
};

}  // namespace trainyard
