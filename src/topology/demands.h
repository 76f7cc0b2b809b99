// Bytes between nodes of a graph, and what they put on its links.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
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

/// Nodes and how many devices stand behind each.
using NodeCounts = std::map<std::uint32_t, std::int64_t>;

/// Bytes between nodes, added up: pair by pair, or the same from every device of some nodes to every device
/// of others, which takes memory by the nodes and not by their pairs.
class Demands {
 public:
  void add(std::uint32_t from, std::uint32_t to, double bytes) {
    if (from == to) return;
    pairs_[(std::uint64_t{to} << 32U) | from] += bytes;
  }
  void add_all(const NodeCounts& sources, const NodeCounts& destinations, double bytes);

  /// Pairs that were added one by one.
  std::size_t pairs() const { return pairs_.size(); }

  /// Calls for each destination in order with what is sent to it, sources in order within what was added
  /// together: the same order whatever the hash table's. Where `wanted` is given, for those alone.
  void visit(const std::function<void(const std::vector<Demand>&)>& on_destination,
             const std::function<bool(std::uint32_t)>& wanted = {}) const;
  /// Whether they are the same when every node takes the place of another one.
  bool same_after(const std::function<std::uint32_t(std::uint32_t)>& place_of) const;

  /// Bytes that nodes send to others, and receive from them.
  struct Totals {
    std::unordered_map<std::uint32_t, double> sent;
    std::unordered_map<std::uint32_t, double> received;
  };
  Totals totals() const;

 private:
  struct Counted {
    std::uint32_t node = 0;
    double devices = 0;

    auto operator<=>(const Counted&) const = default;
  };
  /// Nodes in order.
  struct AllToAll {
    std::vector<Counted> sources;
    std::vector<Counted> destinations;
    double bytes = 0;

    auto operator<=>(const AllToAll&) const = default;
    bool inside_one_node() const {
      return sources.size() == 1 && destinations.size() == 1 && sources[0].node == destinations[0].node;
    }
  };
  /// A destination of all_[product].
  struct Share {
    std::uint32_t to = 0;
    std::uint32_t product = 0;
    double bytes = 0;  // for a device of a source
  };

  std::vector<Demand> sorted_pairs() const;
  std::vector<Share> shares() const;

  std::unordered_map<std::uint64_t, double> pairs_;
  std::vector<AllToAll> all_;
};

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

/// How demands are spread over a graph, and where the bytes go.
struct Spreading {
  const Graph& graph;
  const ShortestPaths& paths;
  std::function<bool(std::uint32_t)> leads_nowhere;  // nodes that are left out
  /// Called, and has to throw, where no way is left: from, to.
  std::function<void(std::uint32_t, std::uint32_t)> unreachable;
  LinkBytes& out;
};

class GridShifts;

/// Spreads demands evenly over shortest paths.
void spread_demands(const Spreading& spreading, const Demands& demands);
/// The same in a grid, of whose destinations some stand for others.
void spread_demands(const Spreading& spreading, const Demands& demands, const GridShifts& shifts);

/// The same by way of every root alike: first to all roots, then from all roots to the destination (Valiant
/// 1982). Every two roots exchange something, which is made for one destination at a time.
void spread_by_way_of(const Spreading& spreading, const std::vector<std::uint32_t>& roots,
                      const Demands& demands);

}  // namespace trainyard
