#include "topology/bisection.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace trainyard {
namespace {

constexpr std::size_t kMostTried = 16;  // one of them stays where it is
constexpr std::size_t kMostNodes = 64;

/// What is divided: switches, and hosts that join more than one of them or each other.
struct Core {
  struct Edge {
    std::size_t to = 0;
    std::int64_t links = 0;
  };
  std::vector<std::int64_t> movable;  // hosts of each node that have but one link, to it
  std::vector<std::int64_t> fixed;    // 1 for a host that is a node itself
  std::vector<std::vector<Edge>> edges;

  std::size_t size() const { return edges.size(); }
  bool holds_hosts(std::size_t node) const { return movable[node] + fixed[node] > 0; }
  void join(std::size_t a, std::size_t b) {
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      auto& list = edges[from];
      const auto known = std::find_if(list.begin(), list.end(), [to = to](Edge e) { return e.to == to; });
      if (known == list.end()) {
        list.push_back({to, 1});
      } else {
        ++known->links;
      }
    }
  }
};

bool is_host(const Graph& graph, std::uint32_t node) {
  const NodeKind kind = graph.run_of_node(node).kind;
  return kind == NodeKind::host || kind == NodeKind::gateway;
}

std::optional<Core> core_of(const Graph& graph) {
  const Adjacency adjacency(graph);
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(graph.nodes, kNone);
  Core core;
  const auto movable = [&](std::uint32_t node) {
    return is_host(graph, node) && adjacency.of(node).size() == 1 &&
           !is_host(graph, adjacency.of(node).front().node);
  };
  for (std::uint32_t node = 0; node < graph.nodes; ++node) {
    if (movable(node)) continue;
    if (core.size() == kMostNodes) return std::nullopt;
    place[node] = core.size();
    core.movable.push_back(0);
    core.fixed.push_back(is_host(graph, node) ? 1 : 0);
    core.edges.emplace_back();
  }
  for (const Link& link : graph.links) {
    const std::size_t a = place[link.a];
    const std::size_t b = place[link.b];
    if (a != kNone && b != kNone) {
      core.join(a, b);
    } else {
      ++core.movable[a == kNone ? b : a];
    }
  }
  return core;
}

/// Walks all ways to divide the nodes that have to be tried, each from the last by one node that changes
/// sides (Gray code). Switches without hosts that join only tried ones choose the better side by themselves.
class Divisions {
 public:
  explicit Divisions(const Core& core) : core_(core), side_(core.size(), 0), alone_(core.size(), false) {
    for (std::size_t node = 0; node < core.size(); ++node) {
      const auto& edges = core.edges[node];
      alone_[node] = !core.holds_hosts(node) &&
                     std::none_of(edges.begin(), edges.end(), [&](Core::Edge e) { return alone_[e.to]; });
      if (!alone_[node]) tried_.push_back(node);
      hosts_ += core.movable[node] + core.fixed[node];
      movable_[0] += core.movable[node];
    }
    beside_.assign(core.size(), 0);
    inside_[0] = hosts_;
  }

  bool small() const { return tried_.size() <= kMostTried && hosts_ > 1; }

  std::int64_t least() {
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t step = 0;;) {
      if (const std::int64_t moved = hosts_to_move(); moved >= 0) best = std::min(best, cut_ + moved);
      if (++step >> (tried_.empty() ? 0 : tried_.size() - 1) != 0) return best;
      flip(tried_[static_cast<std::size_t>(std::countr_zero(step))]);
    }
  }

 private:
  /// Hosts that have to stand apart from their switch for even halves; -1 where those that could are too few.
  std::int64_t hosts_to_move() const {
    const int fuller = inside_[1] > inside_[0] ? 1 : 0;
    const std::int64_t moved = std::max<std::int64_t>(0, inside_[fuller] - (hosts_ + 1) / 2);
    return moved <= movable_[fuller] ? moved : -1;
  }

  void flip(std::size_t node) {
    const int from = side_[node];
    const int to = 1 - from;
    side_[node] = to;
    const std::int64_t hosts = core_.movable[node] + core_.fixed[node];
    inside_[from] -= hosts;
    inside_[to] += hosts;
    movable_[from] -= core_.movable[node];
    movable_[to] += core_.movable[node];
    for (const Core::Edge& edge : core_.edges[node]) {
      if (alone_[edge.to]) {
        cut_ -= better(edge.to);
        beside_[edge.to] += to == 1 ? edge.links : -edge.links;
        cut_ += better(edge.to);
      } else {
        cut_ += side_[edge.to] == to ? -edge.links : edge.links;
      }
    }
  }

  /// Links that a switch which chooses by itself has cut.
  std::int64_t better(std::size_t node) const {
    std::int64_t all = 0;
    for (const Core::Edge& edge : core_.edges[node]) all += edge.links;
    return std::min(beside_[node], all - beside_[node]);
  }

  const Core& core_;
  std::vector<int> side_;
  std::vector<bool> alone_;
  std::vector<std::size_t> tried_;
  std::vector<std::int64_t> beside_;  // links of a switch that chooses by itself to nodes of side 1
  std::int64_t hosts_ = 0;
  std::int64_t inside_[2] = {0, 0};
  std::int64_t movable_[2] = {0, 0};
  std::int64_t cut_ = 0;
};

}  // namespace

std::optional<double> exact_bisection(const Graph& graph) {
  const std::optional<Core> core = core_of(graph);
  if (!core) return std::nullopt;
  Divisions divisions(*core);
  if (!divisions.small()) return std::nullopt;
  return static_cast<double>(divisions.least());
}

}  // namespace trainyard
