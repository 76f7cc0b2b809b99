// Layouts of one network of any shape, from its graph.
#include <algorithm>
#include <string>
#include <utility>

#include "network/wiring/layout.h"
#include "network/wiring/routed_layout.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "topology/shortest_paths.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"

namespace trainyard::wiring {
namespace {

/// Which part of the delay of a link the way from a host to a switch of its own has: short, as it stands for
/// none, and not shorter, as windows of time are as short.
constexpr Picoseconds kOwnSwitch = 16;

class GraphParts {
 public:
  GraphParts(const NetworkDesign& design, const LinkRules& link)
      : design_(design),
        graph_(build_graph(design, {.planes = 1, .networks = 1})),
        paths_(graph_),
        endpoints_(endpoint_nodes(design)),
        hosts_forward_(paths_.forwards(endpoints_.front())) {
    out_.design = &design;
    find_switches();
    for (const std::uint32_t node : endpoints_) out_.node_of_host.push_back(switch_of_endpoint(node));
    name_links();
    out_.links.assign(out_.link_names.size(), link);
    if (!hosts_forward_) return;
    const auto links = static_cast<double>(design.fabric->host_links());
    const double byte_time = static_cast<double>(link.picoseconds_per_byte) / links;
    out_.links.front().picoseconds_per_byte = ByteTime::of(std::max(ByteTime::kLeast, byte_time));
    out_.links.front().delay = std::max<Picoseconds>(1, link.delay / kOwnSwitch);
  }

  Layout lay_out() && {
    out_.graph = graph_;
    const auto always = [](std::uint32_t, const Hop&) { return true; };
    std::vector<std::uint32_t> order;
    return lay_out_routed(std::move(out_), static_cast<std::uint32_t>(design_.planes),
                          [&](std::uint32_t node, std::vector<JoinedPaths::Rank>& ranks) {
                            constexpr auto kFar = ShortestPaths::kFar<JoinedPaths::Rank>;
                            ranks.assign(graph_.nodes, kFar);
                            paths_.search(node, always, ranks, order);
                            for (auto& rank : ranks)
                              rank = rank == kFar ? kFar : static_cast<JoinedPaths::Rank>(2 * rank + 1);
                          });
  }

 private:
  void find_switches() {
    if (hosts_forward_) {
      for (const std::uint32_t node : endpoints_) out_.switches.push_back({node, 1});
      out_.switch_runs = {{"router", 0}};
      return;
    }
    for (const NodeRun& run : graph_.node_runs) {
      if (run.kind != NodeKind::electrical_switch) continue;
      out_.switch_runs.push_back({run.name, static_cast<std::uint32_t>(out_.switches.size())});
      for (std::uint32_t node = run.begin; node < run.end; ++node) out_.switches.push_back({node, run.tier});
    }
  }

  std::uint32_t switch_of_endpoint(std::uint32_t node) const {
    if (hosts_forward_) return node;
    const auto hops = paths_.adjacency().of(node);
    if (hops.size() != 1)
      refuse_layout(design_, "packets are simulated where a host has one link in a plane");
    return hops.front().node;
  }

  /// A class of its own for the links of hosts, and for each run of links between switches.
  void name_links() {
    std::vector<char> is_switch(graph_.nodes, 0);
    for (const RoutedParts::Switch& one : out_.switches) is_switch[one.node] = 1;
    out_.class_of_link.resize(graph_.links.size());
    out_.link_names = {hosts_forward_ ? "host to router" : ""};
    for (const LinkRun& run : graph_.link_runs) {
      const Link& first = graph_.links[run.begin];
      const bool of_hosts = is_switch[first.a] == 0 || is_switch[first.b] == 0;
      if (of_hosts) out_.link_names.front() = run.name;
      if (!of_hosts) out_.link_names.push_back(run.name);
      std::fill(out_.class_of_link.begin() + run.begin, out_.class_of_link.begin() + run.end,
                static_cast<std::uint16_t>(of_hosts ? 0 : out_.link_names.size() - 1));
    }
  }

  const NetworkDesign& design_;
  Graph graph_;
  ShortestPaths paths_;
  std::vector<std::uint32_t> endpoints_;
  bool hosts_forward_;
  RoutedParts out_;
};

}  // namespace

Layout lay_out(const NetworkDesign& design, const LinkRules& link) {
  constexpr std::size_t kMostTiersOfAddresses = 3;
  const ClosShape* shape = design.fabric->clos();
  if (shape == nullptr || shape->tiers.size() > kMostTiersOfAddresses)
    return GraphParts(design, link).lay_out();
  return lay_out(*shape, static_cast<std::uint32_t>(design.planes), {link}, whole("simulation.design"));
}

}  // namespace trainyard::wiring
