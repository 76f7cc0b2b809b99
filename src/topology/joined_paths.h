// Ways through HB domains and networks together: from device to device as far as one HB domain or one network
// reaches, and by devices that forward where neither does (rail-only '23 section 3.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "topology/graph.h"
#include "topology/shortest_paths.h"

namespace trainyard {

/// Over a graph with a node for each HB domain. Devices forward only where a packet would not arrive
/// otherwise: those of its own HB domain first, then those of its destination's.
class JoinedPaths {
 public:
  /// Of a node, towards one destination: packets go to the neighbours with the lowest one. Higher by two for
  /// a link; lower by one for HB domains; above kForwarded where a device has to forward.
  using Rank = std::uint16_t;
  static constexpr Rank kFar = 0xFFFF;
  static constexpr Rank kForwarded = 0x8000;

  explicit JoinedPaths(const Graph& graph) : paths_(graph), is_domain_(graph.nodes, 0) {
    for (const NodeRun& run : graph.node_runs)
      std::fill(is_domain_.begin() + run.begin, is_domain_.begin() + run.end, run.kind == NodeKind::domain);
  }

  const Adjacency& adjacency() const { return paths_.adjacency(); }
  bool is_domain(std::uint32_t node) const { return is_domain_[node] != 0; }
  /// Links to the destination.
  static std::uint32_t links(Rank rank) { return (rank & (kForwarded - 1U)) / 2; }

  /// Ranks of all nodes towards `to`; kFar: no way.
  void search(std::uint32_t to, std::vector<Rank>& rank) const {
    rank.assign(adjacency().nodes(), kFar);
    rank[to] = 1;
    std::vector<std::uint32_t> order = {to};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t node = order[i];
      if (node == to || paths_.forwards(node) || is_domain(node)) reach(node, to, 0, rank, order);
    }
    // Devices forward: nearest nodes first, of those with a way without it and of the others.
    std::vector<std::uint32_t> more;
    for (std::size_t i = 0, j = 0; i < order.size() || j < more.size();) {
      const bool first =
          j == more.size() || (i < order.size() && links(rank[order[i]]) <= links(rank[more[j]]));
      reach(first ? order[i++] : more[j++], to, kForwarded, rank, more);
    }
  }

  /// Calls for the links of a node to the neighbours of the lowest rank, below its own.
  template <class Visit>
  void visit_next(std::uint32_t node, const std::vector<Rank>& rank, const Visit& visit) const {
    Rank least = rank[node];
    for (const Hop& hop : adjacency().of(node)) least = std::min(least, rank[hop.node]);
    if (least == rank[node]) return;
    for (const Hop& hop : adjacency().of(node)) {
      if (rank[hop.node] == least) visit(hop);
    }
  }

 private:
  void reach(std::uint32_t node, std::uint32_t to, Rank flag, std::vector<Rank>& rank,
             std::vector<std::uint32_t>& order) const {
    for (const Hop& hop : adjacency().of(node)) {
      if (rank[hop.node] != kFar) continue;
      if (flag == 0 && is_domain(hop.node) && node != to) continue;
      rank[hop.node] = static_cast<Rank>(flag | rank_at(links(rank[node]) + 1, hop.node));
      order.push_back(hop.node);
    }
  }
  Rank rank_at(std::uint32_t links, std::uint32_t node) const {
    return static_cast<Rank>(2 * links + (is_domain(node) ? 0U : 1U));
  }

  ShortestPaths paths_;
  std::vector<char> is_domain_;
};

}  // namespace trainyard
