// The graph of a design, and its cables as a list.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/errors.h"
#include "topology/topology.h"

namespace trainyard {
namespace {

std::int64_t limited(std::int64_t wanted, std::int64_t all) {
  return wanted == 0 ? all : std::min(wanted, all);
}

void check_size(const NetworkDesign& design, std::int64_t fabrics) {
  double links = 0;
  for (const LinkCount& count : design.fabric->counts().links)
    links += static_cast<double>(count.links) * static_cast<double>(fabrics);
  if (links <= static_cast<double>(kMostLinks)) return;
  fail_design(design.input, "hosts",
              fmt::format("a graph of {:.0f} links is larger than the {} that are built", links, kMostLinks),
              "counts, prices and loads by symmetry need no graph");
}

/// Host nodes of every endpoint of the networks in scope: devices, then gateways.
class Hosts {
 public:
  Hosts(const NetworkDesign& design, std::int64_t networks, GraphBuilder& graph)
      : nodes_(static_cast<std::size_t>(networks)) {
    const std::int64_t endpoints = design.fabric->endpoints();
    const auto devices = static_cast<std::size_t>(endpoints - design.gateways);
    for (auto& nodes : nodes_) nodes.assign(static_cast<std::size_t>(endpoints), 0);
    count_ = 0;
    for (std::int64_t device = 0; device < design.hosts; ++device) {
      const EndpointPlace place = design.place_of(device);
      if (place.network >= networks) continue;
      nodes_[static_cast<std::size_t>(place.network)][static_cast<std::size_t>(place.endpoint)] = count_++;
      devices_.push_back(device);
    }
    graph.add_nodes({NodeKind::host, "host", 0, -1, -1, 0, 0, 0}, count_);
    if (design.gateways == 0) return;
    const std::uint32_t first =
        graph.add_nodes({NodeKind::host, "gateway", 0, -1, -1, 0, 0, 0}, design.gateways * networks);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      for (std::size_t g = 0; g < static_cast<std::size_t>(design.gateways); ++g)
        nodes_[n][devices + g] = first +
                                 static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(design.gateways) +
                                 static_cast<std::uint32_t>(g);
    }
  }

  const std::vector<std::uint32_t>& of(std::int64_t network) const {
    return nodes_[static_cast<std::size_t>(network)];
  }
  const std::vector<std::int64_t>& devices() const { return devices_; }

 private:
  std::vector<std::vector<std::uint32_t>> nodes_;
  std::vector<std::int64_t> devices_;  // of each host node
  std::uint32_t count_ = 0;
};

void add_domains(const NetworkDesign& design, const Hosts& hosts, BitRate rate, GraphBuilder& graph) {
  const std::uint32_t first =
      graph.add_nodes({NodeKind::domain, "HB domain", 0, -1, -1, 0, 0, 0}, design.domains);
  graph.begin_links("inside HB domains", rate);
  for (std::size_t h = 0; h < hosts.devices().size(); ++h)
    graph.link(static_cast<std::uint32_t>(h),
               first + static_cast<std::uint32_t>(hosts.devices()[h] / design.domain));
}

}  // namespace

Graph build_graph(const NetworkDesign& design, const GraphScope& scope) {
  const std::int64_t planes = limited(scope.planes, design.planes);
  const std::int64_t networks = limited(scope.networks, design.networks);
  check_size(design, planes * networks);
  GraphBuilder graph;
  const Hosts hosts(design, networks, graph);
  for (std::int64_t network = 0; network < networks; ++network) {
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      design.fabric->build(graph, {networks > 1 ? network : -1, planes > 1 ? plane : -1, design.link_rate,
                                   design.part.ports, hosts.of(network)});
    }
  }
  if (scope.domains) add_domains(design, hosts, scope.scale_up_rate, graph);
  return std::move(graph).finish();
}

std::string cable_list(const Graph& graph) {
  std::string out = "link,from,from_port,to,to_port,kind,rate_bps\n";
  std::vector<std::uint32_t> port(graph.nodes, 0);
  for (const LinkRun& run : graph.link_runs) {
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const Link& link = graph.links[i];
      fmt::format_to(std::back_inserter(out), "{},\"{}\",{},\"{}\",{},{},{}\n", i, graph.name_of(link.a),
                     port[link.a]++, graph.name_of(link.b), port[link.b]++, run.name, run.rate.si());
    }
  }
  return out;
}

}  // namespace trainyard
