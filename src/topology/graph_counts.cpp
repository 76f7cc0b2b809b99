// What a fabric's graph holds, for count_graph().
#include <utility>

#include "base/errors.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {

FabricCounts counts_of_graph(const NetworkDesign& design) {
  FabricCounts out = design.fabric->counts();
  // Circuits are links between hosts there: no switch of packets, and nothing to count.
  if (design.by_circuits()) return out;
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  std::vector<std::int64_t> degree(graph.nodes, 0);
  for (const Link& link : graph.links) {
    ++degree[link.a];
    ++degree[link.b];
  }
  out.tiers.clear();
  for (const NodeRun& run : graph.node_runs) {
    if (run.kind != NodeKind::electrical_switch) continue;
    TierCount tier{run.name, run.end - run.begin, 0};
    for (std::uint32_t node = run.begin; node < run.end; ++node) {
      TY_ASSERT(degree[node] <= run.ports, "more links than ports: " + graph.name_of(node));
      tier.ports_used += degree[node];
    }
    out.tiers.push_back(std::move(tier));
  }
  std::vector<LinkCount> links;
  for (const LinkRun& run : graph.link_runs) {
    const bool of_hosts = graph.run_of_node(graph.links[run.begin].a).kind == NodeKind::host;
    links.push_back({run.name, of_hosts, run.end - run.begin});
  }
  out.links = std::move(links);
  return out;
}

}  // namespace trainyard
