#include "network/wiring/routed_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "topology/fabric.h"
#include "trainyard/network_design.h"

namespace trainyard::wiring {
namespace {

constexpr std::uint32_t kNoSwitch = 0xFFFFFFFF;
constexpr std::size_t kMostSwitchPorts = 65'535;
constexpr std::uint32_t kMostHostsOfLeaf = (1U << kHostBits) - 1;
constexpr std::uint32_t kMostLeaves = 1U << (32U - kHostBits);
constexpr double kMostRoutes = 2e8;  // of 4 bytes, and of 2 while they are made

std::uint32_t numbered(std::size_t v) { return static_cast<std::uint32_t>(v); }

class RoutedBuilder {
 public:
  RoutedBuilder(RoutedParts parts, std::uint32_t planes) : parts_(std::move(parts)), graph_(parts_.graph) {
    out_.planes = planes;
    out_.switch_runs = std::move(parts_.switch_runs);
    out_.links = std::move(parts_.links);
    out_.link_names = std::move(parts_.link_names);
    out_.devices = std::move(parts_.devices);
    find_switches();
    find_leaves();
    port_at_.resize(2 * graph_.links.size());
    for (std::uint32_t link = 0; link < graph_.links.size(); ++link) join(link);
    for (std::uint32_t s = 0; s < switches_.size(); ++s) number_ports(s);
  }

  Layout build(const RankSearch& ranks) && {
    add_routes(ranks);
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
    refuse_layout(*parts_.design, message, help);
  }

  void find_switches() {
    switch_of_node_.assign(graph_.nodes, kNoSwitch);
    for (const RoutedParts::Switch& one : parts_.switches) {
      switch_of_node_[one.node] = numbered(switches_.size());
      switches_.push_back({one.node, one.tier, 0, {}});
      out_.tiers = std::max(out_.tiers, static_cast<std::uint32_t>(one.tier));
    }
  }

  /// Runs of hosts at one switch.
  void find_leaves() {
    std::uint32_t in_leaf = 0;
    for (const std::uint32_t node : parts_.node_of_host) {
      const std::uint32_t at = switch_of_node_[node];
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

  void join(std::uint32_t number) {
    const std::uint32_t a = switch_of_node_[graph_.links[number].a];
    const std::uint32_t b = switch_of_node_[graph_.links[number].b];
    if (a == kNoSwitch || b == kNoSwitch) return;  // of a host
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

  void add_routes(const RankSearch& search) {
    check_routes();
    out_.routes = Routes(numbered(switches_.size()), switch_of_leaf_, first_port_of_leaf_);
    const std::vector<JoinedPaths::Rank> ranks = ranks_to_targets(search);
    for (std::uint32_t s = 0; s < switches_.size(); ++s) {
      const Switch& at = switches_[s];
      std::vector<Routes::Port> ports;
      for (std::size_t p = 0; p < at.ports.size(); ++p)
        ports.push_back({at.ports[p].to, static_cast<std::uint16_t>(at.hosts + p)});
      out_.routes.add(s, ports, ranks);
    }
    out_.routes.number_paths();
  }

  /// From every switch to every target.
  std::vector<JoinedPaths::Rank> ranks_to_targets(const RankSearch& search) const {
    const std::uint32_t targets = out_.routes.targets();
    std::vector<JoinedPaths::Rank> out(switches_.size() * targets);
    // Searches give columns, and rows are wanted: so many at a time that a cache line is written at once.
    constexpr std::uint32_t kTogether = 64 / sizeof(JoinedPaths::Rank);
    std::vector<std::vector<JoinedPaths::Rank>> ranks(kTogether);
    for (std::uint32_t first = 0; first < targets; first += kTogether) {
      const std::uint32_t count = std::min(kTogether, targets - first);
      for (std::uint32_t i = 0; i < count; ++i)
        search(switches_[out_.routes.switch_of_target(first + i)].node, ranks[i]);
      for (std::size_t s = 0; s < switches_.size(); ++s) {
        for (std::uint32_t i = 0; i < count; ++i) {
          const JoinedPaths::Rank rank = ranks[i][switches_[s].node];
          if (rank == JoinedPaths::kFar)
            refuse("its switches are not all joined: packets have no way between some hosts");
          out[s * targets + first + i] = rank;
        }
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
                                                      parts_.class_of_link[port.link]};
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
      out_.wires[out_.nodes[leaf].first_port + of_host] = {at, static_cast<std::uint16_t>(port),
                                                           parts_.up[h % parts_.up.size()]};
      out_.wires[out_.nodes[at].first_port + port] = {leaf, static_cast<std::uint16_t>(of_host),
                                                      parts_.down[h % parts_.down.size()]};
    }
  }

  RoutedParts parts_;
  const Graph& graph_;
  Layout out_;
  std::vector<Switch> switches_;  // of a plane
  std::vector<std::uint32_t> switch_of_node_;
  std::vector<std::uint32_t> switch_of_leaf_;
  std::vector<std::uint32_t> first_port_of_leaf_;
  std::vector<std::uint16_t> port_at_;  // of each end of a link
};

}  // namespace

void refuse_layout(const NetworkDesign& design, const std::string& message, const std::string& help) {
  fail_design(design.input, "topology", message, help);
}

Layout lay_out_routed(RoutedParts parts, std::uint32_t planes, const RankSearch& ranks) {
  return RoutedBuilder(std::move(parts), planes).build(ranks);
}

}  // namespace trainyard::wiring
