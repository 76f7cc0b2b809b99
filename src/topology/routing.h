// Ways through a graph: shortest paths, the path that a flow's hash takes, all paths that spraying uses,
// detours through HB domains, around failures.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/graph.h"
#include "topology/shortest_paths.h"

namespace trainyard {

/// What is out of order.
struct Failures {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> links;
};

/// Links from one node to another, in order.
using Path = std::vector<std::uint32_t>;

/// Shortest paths of a graph around failures.
class Routing {
 public:
  static constexpr std::uint32_t kUnreachable = ShortestPaths::kFar<std::uint32_t>;

  explicit Routing(const Graph& graph, const Failures& failures = {});

  /// Links from every node to `to`; kUnreachable where no way is left.
  std::vector<std::uint32_t> distances(std::uint32_t to, bool through_domains = false) const;

  /// Links that bring a packet one closer, of a node, given distances(to).
  std::vector<Hop> next_hops(std::uint32_t node, const std::vector<std::uint32_t>& distances,
                             bool through_domains = false) const;

  /// The path of a flow by ECMP: at each node, the hash of (flow, node) picks among the next hops. Detours
  /// through HB domains when the networks alone do not join the two. Nothing when nothing does.
  std::optional<Path> ecmp_path(std::uint32_t from, std::uint32_t to, std::uint64_t flow) const;

  /// All shortest paths, at most so many, in a fixed order: the paths of per-packet spraying.
  std::vector<Path> spray_paths(std::uint32_t from, std::uint32_t to, std::size_t most) const;

  /// Shortest paths between two nodes by the nodes that they pass.
  double count_paths(std::uint32_t from, std::uint32_t to) const;

  const Adjacency& adjacency() const { return paths_.adjacency(); }

 private:
  /// Distances without HB domains where that reaches, else with them.
  std::vector<std::uint32_t> distances_from_to(std::uint32_t from, std::uint32_t to, bool& through) const;

  const Graph& graph_;
  ShortestPaths paths_;
  std::vector<char> node_failed_;
  std::vector<char> link_failed_;
};

}  // namespace trainyard
