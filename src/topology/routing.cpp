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
    : graph_(graph), paths_(graph), node_failed_(graph.nodes, 0), link_failed_(graph.links.size(), 0) {
  for (const std::uint32_t node : failures.nodes) node_failed_.at(node) = 1;
  for (const std::uint32_t link : failures.links) link_failed_.at(link) = 1;
}

std::vector<std::uint32_t> Routing::distances(std::uint32_t to, bool through_domains) const {
  std::vector<std::uint32_t> distance(graph_.nodes, kUnreachable);
  if (node_failed_[to]) return distance;
  std::vector<std::uint32_t> order;
  const auto works = [&](std::uint32_t node, const Hop& hop) {
    return !node_failed_[node] && !link_failed_[hop.link];
  };
  paths_.search(to, works, distance, order, through_domains);
  return distance;
}

std::vector<Hop> Routing::next_hops(std::uint32_t node, const std::vector<std::uint32_t>& distance,
                                    bool through_domains) const {
  std::vector<Hop> out;
  paths_.visit_closer(
      node, [&](std::uint32_t at) { return distance[at]; },
      [&](std::uint32_t, const Hop& hop) { return !link_failed_[hop.link]; },
      [&](const Hop& hop) { out.push_back(hop); }, through_domains);
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
