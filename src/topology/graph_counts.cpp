// What a fabric's graph holds, for count_graph().
#include <numeric>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/whole_numbers.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

/// The graph of one fabric, whose links are counted as they are laid: which host is which does not matter.
GraphCounts counted_graph(const NetworkDesign& design) {
  GraphBuilder graph(GraphBuilder::Keeps::counts);
  const std::int64_t endpoints = design.fabric->endpoints();
  const std::int64_t hosts = endpoints - design.gateways;
  graph.add_nodes({NodeKind::host, "host", 0, -1, -1, -1, 0, 0, 0}, hosts);
  graph.add_nodes({NodeKind::gateway, "gateway", 0, -1, -1, -1, 0, 0, 0}, design.gateways);
  std::vector<std::uint32_t> nodes(index(endpoints));
  std::iota(nodes.begin(), nodes.end(), 0U);
  design.fabric->build(graph, {0, 0, -1, design.link_rate, design.part.ports, std::move(nodes)});
  return std::move(graph).finish_counts();
}

}  // namespace

FabricCounts counts_of_graph(const NetworkDesign& design) {
  FabricCounts out = design.fabric->counts();
  // Circuits are links between hosts there: no switch of packets, and nothing to count.
  if (design.by_circuits()) return out;
  const GraphCounts graph = counted_graph(design);
  out.tiers.clear();
  for (const NodeRun& run : graph.node_runs) {
    if (run.kind != NodeKind::electrical_switch) continue;
    TierCount tier{run.name, run.end - run.begin, 0};
    for (std::uint32_t node = run.begin; node < run.end; ++node) {
      TY_ASSERT(graph.degrees[node] <= run.ports, "more links than ports: " + run.name);
      tier.ports_used += graph.degrees[node];
    }
    out.tiers.push_back(std::move(tier));
  }
  std::vector<LinkCount> links;
  for (std::size_t i = 0; i < graph.link_runs.size(); ++i) {
    const LinkRun& run = graph.link_runs[i];
    links.push_back({run.name, graph.lower_ends[i] == NodeKind::host, run.end - run.begin});
  }
  out.links = std::move(links);
  return out;
}

}  // namespace trainyard
