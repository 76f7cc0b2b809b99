#include "topology/shortest_paths.h"

#include <algorithm>

namespace trainyard {

ShortestPaths::ShortestPaths(const Graph& graph)
    : adjacency_(graph), forwards_(graph.nodes, 0), is_domain_(graph.nodes, 0) {
  const bool switches = std::any_of(graph.node_runs.begin(), graph.node_runs.end(), [](const NodeRun& run) {
    return run.kind == NodeKind::electrical_switch;
  });
  for (const NodeRun& run : graph.node_runs) {
    const bool host = run.kind == NodeKind::host;
    const bool domain = run.kind == NodeKind::domain;
    std::fill(forwards_.begin() + run.begin, forwards_.begin() + run.end, !domain && !(host && switches));
    std::fill(is_domain_.begin() + run.begin, is_domain_.begin() + run.end, domain);
  }
}

}  // namespace trainyard
