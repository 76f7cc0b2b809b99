// Bytes between nodes of a graph, and what they put on its links.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "topology/graph.h"

namespace trainyard {

class ShortestPaths;

struct Demand {
  std::uint32_t to = 0;
  std::uint32_t from = 0;
  double bytes = 0;
};

/// Bytes between pairs of nodes, added up.
class Demands {
 public:
  void add(std::uint32_t from, std::uint32_t to, double bytes) {
    if (from == to) return;
    bytes_[(std::uint64_t{to} << 32U) | from] += bytes;
  }
  std::size_t size() const { return bytes_.size(); }
  /// By destination, then source: the same order whatever the hash table's.
  std::vector<Demand> sorted() const;

 private:
  std::unordered_map<std::uint64_t, double> bytes_;
};

/// Demands by way of every root alike: first to all roots, then from all roots to the destination (Valiant
/// 1982). Sorted by destination.
std::vector<Demand> by_way_of(const std::vector<std::uint32_t>& roots, const std::vector<Demand>& demands);

/// Bytes on each direction of links: from a to b, and from b to a.
struct LinkBytes {
  std::vector<double> up;
  std::vector<double> down;

  explicit LinkBytes(const Graph& graph) : up(graph.links.size(), 0), down(graph.links.size(), 0) {}
  /// What a node sends over a link.
  void send(const Graph& graph, std::uint32_t node, std::uint32_t link, double bytes) {
    (graph.links[link].a == node ? up : down)[link] += bytes;
  }
};

/// Spreads demands, sorted by destination, evenly over shortest paths. Nodes that `leads_nowhere` are left
/// out. `unreachable(from, to)` is called, and has to throw, where no way is left.
void spread_demands(const Graph& graph, const ShortestPaths& paths, const std::vector<Demand>& demands,
                    const std::function<bool(std::uint32_t)>& leads_nowhere,
                    const std::function<void(std::uint32_t, std::uint32_t)>& unreachable, LinkBytes& out);

}  // namespace trainyard
