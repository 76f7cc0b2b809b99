// The graph of a design, and its cables as a list.
#include <fmt/core.h>

#include <algorithm>

#include "base/errors.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

std::int64_t limited(std::int64_t wanted, std::int64_t all) {
  return wanted == 0 ? all : std::min(wanted, all);
}

/// A list is text: some 120 bytes of a link, beside its graph.
constexpr double kMostListed = 20e6;

double links_of(const NetworkDesign& design, std::int64_t fabrics) {
  double links = 0;
  for (const LinkCount& count : design.fabric->counts().links)
    links += static_cast<double>(count.links) * static_cast<double>(fabrics);
  return links;
}

void check_listed(const NetworkDesign& design) {
  const double links = links_of(design, design.fabrics());
  if (links <= kMostListed) return;
  fail_design(
      design.input, "hosts",
      fmt::format("a list of {:.0f} cables is longer than the {:.0f} that are written", links, kMostListed),
      "counts and prices need no list");
}

void check_size(const NetworkDesign& design, std::int64_t fabrics) {
  const double links = links_of(design, fabrics);
  if (links <= static_cast<double>(kMostLinks)) return;
  fail_design(design.input, "hosts",
              fmt::format("a graph of {:.0f} links is larger than the {} that are built", links, kMostLinks),
              "counts, prices and loads by symmetry need no graph");
}

/// Host nodes of every endpoint of one datacenter's networks in scope: devices, then gateways.
class Hosts {
 public:
  Hosts(const NetworkDesign& design, std::int64_t networks, std::int64_t datacenter, GraphBuilder& graph)
      : gateways_(design.gateways), nodes_(static_cast<std::size_t>(networks)) {
    const std::int64_t endpoints = design.fabric->endpoints();
    for (auto& nodes : nodes_) nodes.assign(static_cast<std::size_t>(endpoints), 0);
    std::vector<EndpointPlace> places;
    for (std::int64_t device = 0; device < design.hosts; ++device) {
      const EndpointPlace place = design.place_of(device);
      if (place.network >= networks) continue;
      places.push_back(place);
      devices_.push_back(device);
    }
    const auto count = static_cast<std::int64_t>(places.size());
    first_ = graph.add_nodes({NodeKind::host, "host", 0, -1, -1, datacenter, 0, 0, 0}, count);
    for (std::size_t i = 0; i < places.size(); ++i)
      at(places[i].network, places[i].endpoint) = first_ + static_cast<std::uint32_t>(i);
    const std::uint32_t gateway =
        graph.add_nodes({NodeKind::gateway, "gateway", 0, -1, -1, datacenter, 0, 0, 0}, gateways_ * networks);
    for (std::int64_t n = 0; n < networks; ++n) {
      for (std::int64_t g = 0; g < gateways_; ++g)
        at(n, endpoints - gateways_ + g) = gateway + static_cast<std::uint32_t>(n * gateways_ + g);
    }
  }

  const std::vector<std::uint32_t>& of(std::int64_t network) const {
    return nodes_[static_cast<std::size_t>(network)];
  }
  std::uint32_t gateway(std::int64_t network, std::int64_t index) const {
    const auto& nodes = of(network);
    return nodes[nodes.size() - static_cast<std::size_t>(gateways_ - index)];
  }
  std::uint32_t first() const { return first_; }
  const std::vector<std::int64_t>& devices() const { return devices_; }

 private:
  std::uint32_t& at(std::int64_t network, std::int64_t endpoint) {
    return nodes_[static_cast<std::size_t>(network)][static_cast<std::size_t>(endpoint)];
  }

  std::int64_t gateways_;
  std::vector<std::vector<std::uint32_t>> nodes_;
  std::vector<std::int64_t> devices_;  // of each host node
  std::uint32_t first_ = 0;
};

void add_domains(const NetworkDesign& design, const Hosts& hosts, std::int64_t datacenter, BitRate rate,
                 GraphBuilder& graph) {
  const std::uint32_t first =
      graph.add_nodes({NodeKind::domain, "HB domain", 0, -1, -1, datacenter, 0, 0, 0}, design.domains);
  graph.begin_links("inside HB domains", rate);
  for (std::size_t h = 0; h < hosts.devices().size(); ++h) {
    graph.link(hosts.first() + static_cast<std::uint32_t>(h),
               first + static_cast<std::uint32_t>(hosts.devices()[h] / design.domain));
  }
}

/// A gateway's port of datacenter i goes to the others in turn; the k-th of i for j meets the k-th of j for
/// i.
void add_wide_area(const NetworkDesign& design, const std::vector<Hosts>& datacenters, std::int64_t networks,
                   GraphBuilder& graph) {
  const auto count = static_cast<std::int64_t>(datacenters.size());
  const std::int64_t others = count - 1;
  graph.begin_links(kWideArea, design.host_rate);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = i + 1; j < count; ++j) {
      for (std::int64_t k = 0; (k + 1) * others <= design.gateways; ++k) {
        for (std::int64_t n = 0; n < networks; ++n) {
          graph.link(datacenters[static_cast<std::size_t>(i)].gateway(n, k * others + j - i - 1),
                     datacenters[static_cast<std::size_t>(j)].gateway(n, k * others + i - j - 1 + count));
        }
      }
    }
  }
}

}  // namespace

Graph build_graph(const NetworkDesign& design, const GraphScope& scope) {
  const std::int64_t planes = limited(scope.planes, design.planes);
  const std::int64_t networks = limited(scope.networks, design.networks);
  const std::int64_t datacenters = scope.all_datacenters ? design.datacenters : 1;
  check_size(design, planes * networks * datacenters);
  GraphBuilder graph;
  std::vector<Hosts> hosts;
  const auto name_of = [&](std::int64_t datacenter) { return datacenters > 1 ? datacenter : -1; };
  for (std::int64_t dc = 0; dc < datacenters; ++dc) hosts.emplace_back(design, networks, name_of(dc), graph);
  for (std::int64_t dc = 0; dc < datacenters; ++dc) {
    const Hosts& here = hosts[static_cast<std::size_t>(dc)];
    for (std::int64_t network = 0; network < networks; ++network) {
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        design.fabric->build(graph, {networks > 1 ? network : -1, planes > 1 ? plane : -1, name_of(dc),
                                     design.link_rate, design.part.ports, here.of(network)});
      }
    }
    if (scope.domains) add_domains(design, here, name_of(dc), scope.scale_up_rate, graph);
  }
  if (datacenters > 1 && design.gateways > 0) add_wide_area(design, hosts, networks, graph);
  return std::move(graph).finish();
}

std::vector<std::uint32_t> endpoint_nodes(const NetworkDesign& design) {
  const auto endpoints = static_cast<std::size_t>(design.fabric->endpoints());
  std::vector<std::uint32_t> out(endpoints);
  std::uint32_t node = 0;
  for (std::int64_t device = 0; device < design.hosts; ++device) {
    const EndpointPlace place = design.place_of(device);
    if (place.network == 0) out[static_cast<std::size_t>(place.endpoint)] = node++;
  }
  for (std::size_t e = endpoints - static_cast<std::size_t>(design.gateways); e < endpoints; ++e)
    out[e] = node++;
  return out;
}

namespace {

constexpr const char* kCableHeader = "link,from,from_port,to,to_port,kind,rate_bps\n";

/// The i-th circuit of every host of a rail goes to the rail's i-th circuit switch.
std::string circuit_cables(const NetworkDesign& design) {
  std::string out = kCableHeader;
  const std::int64_t circuits = design.fabric->host_links();
  std::int64_t link = 0;
  for (std::int64_t device = 0; device < design.hosts; ++device) {
    const EndpointPlace place = design.place_of(device);
    for (std::int64_t c = 0; c < design.planes * circuits; ++c) {
      out += fmt::format("{},\"host {}\",{},\"circuit switch {} of network {}\",{},host to circuit,{}\n",
                         link++, device, c, c, place.network, place.endpoint, design.link_rate.si());
    }
  }
  return out;
}

}  // namespace

std::string cable_list(const NetworkDesign& design) {
  check_listed(design);
  if (design.by_circuits()) {
    check_size(design, design.fabrics());
    return circuit_cables(design);
  }
  const Graph graph = build_graph(design);
  std::string out = kCableHeader;
  std::vector<std::uint32_t> port(graph.nodes, 0);
  for (const LinkRun& run : graph.link_runs) {
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const Link& link = graph.links[i];
      out += fmt::format("{},\"{}\",{},\"{}\",{},{},{}\n", i, graph.name_of(link.a), port[link.a]++,
                         graph.name_of(link.b), port[link.b]++, run.name, run.rate.si());
    }
  }
  return out;
}

}  // namespace trainyard
