// Layouts of networks of any shape, from their graphs.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "network/wiring/layout.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "topology/shortest_paths.h"
#include "topology/topology.h"
#include "trainyard/network_design.h"

namespace trainyard::wiring {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::size_t kMostSwitchPorts = 65'535;
constexpr std::uint32_t kMostHostsOfLeaf = (1U << kHostBits) - 1;
constexpr std::uint32_t kMostLeaves = 1U << (32U - kHostBits);
constexpr double kMostRoutes = 2e8;  // of 4 bytes, and of 2 while they are made
/// Which part of the delay of a link the way from a host to a switch of its own has: short, as it stands for
/// none, and not shorter, as windows of time are as short.
constexpr Picoseconds kOwnSwitch = 16;

std::uint32_t numbered(std::size_t v) { return static_cast<std::uint32_t>(v); }

class RoutedBuilder {
 public:
  RoutedBuilder(const NetworkDesign& design, const LinkRules& link)
      : design_(design), graph_(build_graph(design, {.planes = 1, .networks = 1})), paths_(graph_) {
    out_.planes = numbered(static_cast<std::size_t>(design.planes));
    const std::vector<std::uint32_t> endpoints = endpoint_nodes(design);
    hosts_forward_ = paths_.forwards(endpoints.front());
    find_switches(endpoints);
    for (const Switch& s : switches_) out_.tiers = std::max(out_.tiers, static_cast<std::uint32_t>(s.tier));
    find_leaves(endpoints);
    find_ports();
    out_.links = {link};
    if (hosts_forward_) {
      const auto links = static_cast<double>(design.fabric->host_links());
      const double byte_time = static_cast<double>(link.picoseconds_per_byte) / links;
      out_.links.front().picoseconds_per_byte = ByteTime::of(std::max(ByteTime::kLeast, byte_time));
      out_.links.front().delay = std::max<Picoseconds>(1, link.delay / kOwnSwitch);
    }
    out_.links.resize(out_.link_names.size(), link);
  }

  Layout build() && {
    add_routes();
    for (std::uint32_t leaf = 0; leaf < out_.leaves; ++leaf) add_hosts(leaf);
    for (std::uint32_t plane = 0; plane < out_.planes; ++plane) add_plane(plane);
    out_.uplinks_leaf = out_.routes.paths();
    return std::move(out_);
  }

 private:
  /// A port of a switch to another.
  struct Port {
    std::uint32_t to = 0;  // a switch
    std::uint32_t link = 0;
  };

  struct Switch {
    std::uint32_t node = 0;  // of the graph
    int tier = 0;
    std::uint32_t hosts = 0;
    std::vector<Port> ports;  // behind those of hosts, the ones to lower tiers first
  };

  [[noreturn]] void refuse(const std::string& message, const std::string& help = {}) const {
    fail_design(design_.input, "topology", message, help);
  }

  void find_switches(const std::vector<std::uint32_t>& endpoints) {
    switch_of_node_.assign(graph_.nodes, kNone);
    const auto add = [&](std::uint32_t node, int tier) {
      switch_of_node_[node] = numbered(switches_.size());
      switches_.push_back({node, tier, 0, {}});
    };
    if (hosts_forward_) {
      for (const std::uint32_t node : endpoints) add(node, 1);
      out_.switch_runs = {{"router", 0}};
      return;
    }
    for (const NodeRun& run : graph_.node_runs) {
      if (run.kind != NodeKind::electrical_switch) continue;
      out_.switch_runs.push_back({run.name, numbered(switches_.size())});
      for (std::uint32_t node = run.begin; node < run.end; ++node) add(node, run.tier);
    }
  }

  std::uint32_t switch_of_endpoint(std::uint32_t node) const {
    if (hosts_forward_) return switch_of_node_[node];
    const auto hops = paths_.adjacency().of(node);
    if (hops.size() != 1) refuse("packets are simulated where a host has one link in a plane");
    return switch_of_node_[hops.front().node];
  }

  /// Runs of endpoints at one switch.
  void find_leaves(const std::vector<std::uint32_t>& endpoints) {
    std::uint32_t in_leaf = 0;
    for (const std::uint32_t node : endpoints) {
      const std::uint32_t at = switch_of_endpoint(node);
      if (switch_of_leaf_.empty() || at != switch_of_leaf_.back() || in_leaf == kMostHostsOfLeaf) {
        out_.first_host.push_back(numbered(out_.address_of_host.size()));
        switch_of_leaf_.push_back(at);
        first_port_of_leaf_.push_back(switches_[at].hosts);
        in_leaf = 0;
      }
      if (switch_of_leaf_.size() >= kMostLeaves) refuse("more than a million switches with hosts");
      out_.address_of_host.push_back(address(numbered(switch_of_leaf_.size() - 1), in_leaf++));
      ++switches_[at].hosts;
    }
    out_.first_host.push_back(numbered(out_.address_of_host.size()));
    out_.leaves = numbered(switch_of_leaf_.size());
  }

  std::uint32_t hosts_of(std::uint32_t leaf) const {
    return out_.first_host[leaf + 1] - out_.first_host[leaf];
  }

  /// A class of its own for the links of hosts, and for each run of links between switches.
  void find_ports() {
    class_of_link_.resize(graph_.links.size());
    out_.link_names = {hosts_forward_ ? "host to router" : ""};
    for (const LinkRun& run : graph_.link_runs) {
      const Link& first = graph_.links[run.begin];
      const bool of_hosts = switch_of_node_[first.a] == kNone || switch_of_node_[first.b] == kNone;
      if (of_hosts) out_.link_names.front() = run.name;
      if (!of_hosts) out_.link_names.push_back(run.name);
      for (std::uint32_t link = run.begin; link < run.end; ++link) {
        class_of_link_[link] = static_cast<std::uint16_t>(of_hosts ? 0 : out_.link_names.size() - 1);
        if (!of_hosts) join(graph_.links[link], link);
      }
    }
    port_at_.resize(2 * graph_.links.size());
    for (std::uint32_t s = 0; s < switches_.size(); ++s) number_ports(s);
  }
  void join(const Link& link, std::uint32_t number) {
    const std::uint32_t a = switch_of_node_[link.a];
    const std::uint32_t b = switch_of_node_[link.b];
    switches_[a].ports.push_back({b, number});
    switches_[b].ports.push_back({a, number});
  }
  void number_ports(std::uint32_t s) {
    Switch& at = switches_[s];
    std::stable_partition(at.ports.begin(), at.ports.end(),
                          [&](const Port& p) { return switches_[p.to].tier < at.tier; });
    if (std::size_t{at.hosts} + at.ports.size() > kMostSwitchPorts)
      refuse("switches of more than 65,535 ports");
    for (std::size_t p = 0; p < at.ports.size(); ++p)
      port_at_[end_of(s, at.ports[p].link)] = static_cast<std::uint16_t>(at.hosts + p);
  }
  /// Of the two ends of a link.
  std::size_t end_of(std::uint32_t s, std::uint32_t link) const {
    return 2 * std::size_t{link} + (graph_.links[link].a == switches_[s].node ? 0 : 1);
  }

  /// Before there is memory for them.
  void check_routes() const {
    std::vector<std::uint32_t> with_hosts = switch_of_leaf_;
    std::sort(with_hosts.begin(), with_hosts.end());
    const auto targets = std::unique(with_hosts.begin(), with_hosts.end()) - with_hosts.begin();
    const double routes = static_cast<double>(switches_.size()) * static_cast<double>(targets);
    if (routes > kMostRoutes)
      refuse(
          fmt::format("{:.3g} routes from {} switches to {} with hosts", routes, switches_.size(), targets),
          fmt::format(
              "packets are simulated with at most {:.3g} routes on networks that are no folded Clos of at "
              "most three tiers; `--network flow` needs none",
              kMostRoutes));
  }

  void add_routes() {
    check_routes();
    out_.routes = Routes(numbered(switches_.size()), switch_of_leaf_, first_port_of_leaf_);
    const std::vector<std::uint16_t> hops = hops_to_targets();
    for (std::uint32_t s = 0; s < switches_.size(); ++s) {
      const Switch& at = switches_[s];
      std::vector<Routes::Port> ports;
      for (std::size_t p = 0; p < at.ports.size(); ++p)
        ports.push_back({at.ports[p].to, static_cast<std::uint16_t>(at.hosts + p)});
      out_.routes.add(s, ports, hops);
    }
    out_.routes.number_paths();
  }

  /// Links from every switch to every target.
  std::vector<std::uint16_t> hops_to_targets() const {
    constexpr auto kFar = ShortestPaths::kFar<std::uint16_t>;
    const std::uint32_t targets = out_.routes.targets();
    const auto always = [](std::uint32_t, const Hop&) { return true; };
    std::vector<std::uint16_t> out(switches_.size() * targets);
    std::vector<std::uint32_t> order;
    for (std::uint32_t t = 0; t < targets; ++t) {
      std::vector<std::uint16_t> distance(graph_.nodes, kFar);
      paths_.search(switches_[out_.routes.switch_of_target(t)].node, always, distance, order);
      for (std::size_t s = 0; s < switches_.size(); ++s) {
        if (distance[switches_[s].node] == kFar)
          refuse("its switches are not all joined: packets have no way between some hosts");
        out[s * targets + t] = distance[switches_[s].node];
      }
    }
    return out;
  }

  Node node(std::size_t ports) {
    Node out;
    out.first_port = numbered(out_.wires.size());
    out.ports = numbered(ports);
    out_.wires.resize(out_.wires.size() + ports);
    return out;
  }

  void add_hosts(std::uint32_t leaf) {
    const std::size_t ports = std::size_t{hosts_of(leaf)} * out_.planes;
    if (ports > kMostSwitchPorts) refuse("more than 65,535 links of the hosts of a switch");
    Node hosts = node(ports);
    hosts.hosts = true;
    hosts.ports_down = hosts.ports;
    out_.nodes.push_back(hosts);
  }

  void add_plane(std::uint32_t plane) {
    const std::uint32_t first = numbered(out_.nodes.size());
    for (std::uint32_t s = 0; s < switches_.size(); ++s) {
      const Switch& at = switches_[s];
      Node here = node(at.hosts + at.ports.size());
      here.tier = static_cast<std::uint8_t>(at.tier - 1);
      here.plane = static_cast<std::uint16_t>(plane);
      here.block = s;
      here.ports_down = at.hosts + numbered(static_cast<std::size_t>(std::count_if(
                                       at.ports.begin(), at.ports.end(),
                                       [&](const Port& p) { return switches_[p.to].tier < at.tier; })));
      for (std::size_t p = 0; p < at.ports.size(); ++p) {
        const Port& port = at.ports[p];
        out_.wires[here.first_port + at.hosts + p] = {first + port.to, port_at_[end_of(port.to, port.link)],
                                                      class_of_link_[port.link]};
      }
      out_.nodes.push_back(here);
    }
    for (std::uint32_t leaf = 0; leaf < out_.leaves; ++leaf)
      wire_hosts(leaf, plane, first + switch_of_leaf_[leaf]);
  }

  void wire_hosts(std::uint32_t leaf, std::uint32_t plane, std::uint32_t at) {
    for (std::uint32_t h = 0; h < hosts_of(leaf); ++h) {
      const std::uint32_t port = first_port_of_leaf_[leaf] + h;
      const std::uint32_t of_host = h * out_.planes + plane;
      out_.wires[out_.nodes[leaf].first_port + of_host] = {at, static_cast<std::uint16_t>(port), 0};
      out_.wires[out_.nodes[at].first_port + port] = {leaf, static_cast<std::uint16_t>(of_host), 0};
    }
  }

  const NetworkDesign& design_;
  Graph graph_;
  ShortestPaths paths_;
  bool hosts_forward_ = false;
  Layout out_;
  std::vector<Switch> switches_;  // of a plane
  std::vector<std::uint32_t> switch_of_node_;
  std::vector<std::uint32_t> switch_of_leaf_;
  std::vector<std::uint32_t> first_port_of_leaf_;
  std::vector<std::uint16_t> class_of_link_;
  std::vector<std::uint16_t> port_at_;  // of each end of a link
};

}  // namespace

Layout lay_out(const NetworkDesign& design, const LinkRules& link) {
  constexpr std::size_t kMostTiersOfAddresses = 3;
  const ClosShape* shape = design.fabric->clos();
  if (shape == nullptr || shape->tiers.size() > kMostTiersOfAddresses)
    return RoutedBuilder(design, link).build();
  return lay_out(*shape, static_cast<std::uint32_t>(design.planes), {link}, whole("simulation.design"));
}

}  // namespace trainyard::wiring
