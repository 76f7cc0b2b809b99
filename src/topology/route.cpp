#include "trainyard/route.h"

#include <fmt/core.h>

#include "topology/routing.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

void check_device(const NetworkDesign& design, const char* what, std::int64_t device) {
  if (device >= 0 && device < design.hosts) return;
  fail_input(whole("--route"),
             fmt::format("{} = {} is not a device of design '{}'", what, device, design.input.name),
             fmt::format("allowed: 0 to {}", design.hosts - 1));
}

/// The run whose nodes a name may mean: the same words, whatever the numbers.
std::uint32_t node_named(const Graph& graph, const std::string& name) {
  std::vector<std::string> examples;
  for (const NodeRun& run : graph.node_runs) {
    if (examples.size() < 12) examples.push_back(graph.name_of(run.begin));
    if (!name.starts_with(run.name)) continue;
    for (std::uint32_t node = run.begin; node < run.end; ++node) {
      if (graph.name_of(node) == name) return node;
    }
  }
  fail_input(whole("--fail"), "no node is named '" + name + "'", suggestion(name, examples));
}

}  // namespace

RouteAnswer find_route(const NetworkDesign& design, std::int64_t from, std::int64_t to, std::uint64_t flow,
                       const std::vector<std::string>& failed) {
  check_device(design, "from", from);
  check_device(design, "to", to);
  const Graph graph = build_graph(design, {.domains = true, .scale_up_rate = design.host_rate});
  Failures failures;
  for (const std::string& name : failed) failures.nodes.push_back(node_named(graph, name));
  const Routing routing(graph, failures);
  RouteAnswer answer{design.input.name, from, to, failed, {}, {}, 0, false};
  const auto source = static_cast<std::uint32_t>(from);
  const auto target = static_cast<std::uint32_t>(to);
  const auto path = routing.ecmp_path(source, target, flow);
  if (!path) return answer;
  std::uint32_t node = source;
  answer.nodes.push_back(graph.name_of(node));
  for (const std::uint32_t link : *path) {
    const Link& l = graph.links[link];
    node = l.a == node ? l.b : l.a;
    answer.nodes.push_back(graph.name_of(node));
    answer.kinds.push_back(graph.run_of_link(link).name);
    answer.through_domain |= graph.run_of_node(node).kind == NodeKind::domain;
  }
  answer.paths = routing.count_paths(source, target);
  return answer;
}

}  // namespace trainyard
