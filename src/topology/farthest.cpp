#include "topology/farthest.h"

#include <algorithm>

namespace trainyard {
namespace {

void raise_from(const NodeSet& set, std::int64_t source, Farthest& out) {
  std::vector<std::int64_t> distance(static_cast<std::size_t>(set.nodes), -1);
  std::vector<double> paths(distance.size(), 0);
  std::vector<std::int64_t> order{source};
  std::vector<std::int64_t> around;
  distance[static_cast<std::size_t>(source)] = 0;
  paths[static_cast<std::size_t>(source)] = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto node = static_cast<std::size_t>(order[i]);
    around.clear();
    set.neighbours(order[i], around);
    for (const std::int64_t next : around) {
      const auto other = static_cast<std::size_t>(next);
      if (distance[other] < 0) {
        distance[other] = distance[node] + 1;
        order.push_back(next);
      }
      if (distance[other] == distance[node] + 1) paths[other] += paths[node];
    }
  }
  for (const std::int64_t node : order) {
    const auto at = static_cast<std::size_t>(node);
    if (!set.target(node) || distance[at] < out.distance) continue;
    const bool farther = distance[at] > out.distance;
    out.paths = farther ? paths[at] : std::min(out.paths, paths[at]);
    out.distance = distance[at];
  }
}

}  // namespace

Farthest find_farthest(const NodeSet& set, const std::vector<std::int64_t>& sources) {
  Farthest out;
  for (const std::int64_t source : sources) raise_from(set, source, out);
  return out;
}

}  // namespace trainyard
