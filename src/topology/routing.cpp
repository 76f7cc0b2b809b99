#include "topology/routing.h"

#include <algorithm>

#include "base/mixing.h"

namespace trainyard {
namespace {

/// The first hop to each different node: parallel links count once.
std::vector<Hop> distinct(std::vector<Hop> hops) {
  std::stable_sort(hops.begin(), hops.end(), [](const Hop& a, const Hop& b) { return a.node < b.node; });
  hops.erase(
      std::unique(hops.begin(), hops.end(), [](const Hop& a, const Hop& b) { return a.node == b.node; }),
      hops.end());
  return hops;
}

}  // namespace

Routing::Routing(const Graph& graph, const Failures& failures)
    : graph_(graph),
      adjacency_(graph),
      node_failed_(graph.nodes, 0),
      link_failed_(graph.links.size(), 0),
      kind_(graph.nodes, NodeKind::host) {
  for (const std::uint32_t node : failures.nodes) node_failed_.at(node) = 1;
  for (const std::uint32_t link : failures.links) link_failed_.at(link) = 1;
  hosts_forward_ = true;
  for (const NodeRun& run : graph.node_runs) {
    for (std::uint32_t node = run.begin; node < run.end; ++node) kind_[node] = run.kind;
    if (run.kind == NodeKind::electrical_switch) hosts_forward_ = false;
  }
}

bool Routing::passes(std::uint32_t node, bool through_domains) const {
  switch (kind_[node]) {
    case NodeKind::electrical_switch:
    case NodeKind::gateway:
      return true;
    case NodeKind::domain:
      return through_domains;
    case NodeKind::host:
      return hosts_forward_ || through_domains;
  }
  return false;
}

std::vector<std::uint32_t> Routing::distances(std::uint32_t to, bool through_domains) const {
  std::vector<std::uint32_t> distance(graph_.nodes, kUnreachable);
  if (node_failed_[to]) return distance;
  std::vector<std::uint32_t> queue{to};
  distance[to] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t node = queue[i];
    if (node != to && !passes(node, through_domains)) continue;
    for (const Hop& hop : adjacency_.of(node)) {
      const bool domain = kind_[hop.node] == NodeKind::domain && !through_domains;
      if (distance[hop.node] != kUnreachable || node_failed_[hop.node] || link_failed_[hop.link] || domain)
        continue;
      distance[hop.node] = distance[node] + 1;
      queue.push_back(hop.node);
    }
  }
  return distance;
}

std::vector<Hop> Routing::next_hops(std::uint32_t node, const std::vector<std::uint32_t>& distance,
                                    bool through_domains) const {
  std::vector<Hop> out;
  if (distance[node] == kUnreachable || distance[node] == 0) return out;
  for (const Hop& hop : adjacency_.of(node)) {
    if (link_failed_[hop.link] || distance[hop.node] == kUnreachable) continue;
    const bool last = distance[hop.node] == 0;
    if (distance[hop.node] + 1 == distance[node] && (last || passes(hop.node, through_domains)))
      out.push_back(hop);
  }
  return out;
}

std::vector<std::uint32_t> Routing::distances_from_to(std::uint32_t from, std::uint32_t to,
                                                      bool& through) const {
  through = false;
  auto distance = distances(to);
  if (distance[from] != kUnreachable) return distance;
  through = true;
  return distances(to, true);
}

std::optional<Path> Routing::ecmp_path(std::uint32_t from, std::uint32_t to, std::uint64_t flow) const {
  bool through = false;
  const auto distance = distances_from_to(from, to, through);
  if (distance[from] == kUnreachable || node_failed_[from]) return std::nullopt;
  Path path;
  for (std::uint32_t node = from; node != to;) {
    const auto hops = next_hops(node, distance, through);
    const Hop& hop = hops[mixed(flow ^ mixed(node)) % hops.size()];
    path.push_back(hop.link);
    node = hop.node;
  }
  return path;
}

std::vector<Path> Routing::spray_paths(std::uint32_t from, std::uint32_t to, std::size_t most) const {
  std::vector<Path> out;
  bool through = false;
  const auto distance = distances_from_to(from, to, through);
  if (distance[from] == kUnreachable || node_failed_[from]) return out;
  struct Step {
    std::uint32_t node;
    Path path;
  };
  std::vector<Step> stack{{from, {}}};
  while (!stack.empty() && out.size() < most) {
    Step step = std::move(stack.back());
    stack.pop_back();
    if (step.node == to) {
      out.push_back(std::move(step.path));
      continue;
    }
    const auto hops = next_hops(step.node, distance, through);
    for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
      Step next{hop->node, step.path};
      next.path.push_back(hop->link);
      stack.push_back(std::move(next));
    }
  }
  return out;
}

double Routing::count_paths(std::uint32_t from, std::uint32_t to) const {
  bool through = false;
  const auto distance = distances_from_to(from, to, through);
  if (distance[from] == kUnreachable) return 0;
  std::vector<std::uint32_t> layer{from};
  std::vector<double> paths(graph_.nodes, 0);
  paths[from] = 1;
  while (!layer.empty() && layer.front() != to) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t node : layer) {
      for (const Hop& hop : distinct(next_hops(node, distance, through))) {
        if (paths[hop.node] == 0) next.push_back(hop.node);
        paths[hop.node] += paths[node];
      }
    }
    layer = std::move(next);
  }
  return paths[to];
}

}  // namespace trainyard
