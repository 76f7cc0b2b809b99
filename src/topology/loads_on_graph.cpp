// Loads on any graph: traffic is gathered by the switch where it enters and leaves, then spread over shortest
// paths towards each destination in turn.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.h"
#include "base/whole_numbers.h"
#include "topology/demands.h"
#include "topology/endpoints.h"
#include "topology/fabric.h"
#include "topology/grid.h"
#include "topology/grid_shifts.h"
#include "topology/shortest_paths.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostPairs = 50'000'000;

void check_steps(const NetworkDesign& design, double steps, const std::string& what) {
  constexpr double kMostSteps = 2e11;  // tens of minutes
  if (steps <= kMostSteps) return;
  fail_design(
      design.input, "hosts",
      fmt::format("{} take {:.2g} steps, more than the {:g} that are made", what, steps, kMostSteps),
      design.fabric->clos() ? "loads by symmetry: leave --routing out" : "fewer hosts, or sparser traffic");
}

/// Gathers traffic as demands between roots (the switch of a host with one link, else the host itself), then
/// routes them.
class GraphLoads {
 public:
  GraphLoads(const NetworkDesign& design, RoutingRule rule)
      : d_(design), rule_(rule), graph_(build_graph(design, {.planes = 1})), paths_(graph_), bytes_(graph_) {
    node_of_.resize(static_cast<std::size_t>(design.networks));
    for (auto& nodes : node_of_) nodes.resize(static_cast<std::size_t>(design.fabric->endpoints()));
    std::uint32_t node = 0;
    for (std::int64_t device = 0; device < design.hosts; ++device) {
      const EndpointPlace place = design.place_of(device);
      node_of_[index(place.network)][index(place.endpoint)] = node++;
    }
    for (auto& nodes : node_of_) {
      for (std::int64_t g = design.fabric->endpoints() - design.gateways; g < design.fabric->endpoints(); ++g)
        nodes[index(g)] = node++;
    }
    hosts_ = node;
  }

  void add(const EndpointFlow& flow) {
    const auto& nodes = node_of_[index(flow.network)];
    const std::uint32_t from = nodes[index(flow.from)];
    const std::uint32_t to = nodes[index(flow.to)];
    demands_.add(entered(from, flow.bytes), left(to, flow.bytes), flow.bytes);
    check_pairs();
  }

  /// Every source to every destination outside its HB domain, gathered by switch.
  void add(const EndpointBundle& bundle) {
    const auto& nodes = node_of_[index(bundle.network)];
    std::map<std::int64_t, Side> domains;
    Side all;
    for (const auto& m : bundle.sources) ++domains[m.domain].sources[root_of(nodes[index(m.endpoint)])];
    for (const auto& m : bundle.destinations)
      ++domains[m.domain].destinations[root_of(nodes[index(m.endpoint)])];
    for (auto& [domain, side] : domains) {
      for (const auto& [root, count] : side.sources) all.sources[root] += count;
      for (const auto& [root, count] : side.destinations) all.destinations[root] += count;
    }
    const double sources = static_cast<double>(bundle.sources.size());
    const double destinations = static_cast<double>(bundle.destinations.size());
    for (const auto& m : bundle.sources)
      entered(nodes[index(m.endpoint)],
              bundle.bytes * (destinations - total(domains[m.domain].destinations)));
    for (const auto& m : bundle.destinations)
      left(nodes[index(m.endpoint)], bundle.bytes * (sources - total(domains[m.domain].sources)));
    demands_.add_all(all.sources, all.destinations, bundle.bytes);
    for (const auto& [domain, side] : domains)
      demands_.add_all(side.sources, side.destinations, -bundle.bytes);
  }

  void route() {
    const auto unreachable = [&](std::uint32_t from, std::uint32_t to) {
      fail_design(d_.input, "topology", graph_.name_of(from) + " cannot reach " + graph_.name_of(to));
    };
    const auto leads_nowhere = [&](std::uint32_t node) { return node < hosts_ && single(node); };
    const Spreading spreading{graph_, paths_, leads_nowhere, unreachable, bytes_};
    const GridSizes* grid = d_.fabric->wrapped_grid();
    if (rule_ == RoutingRule::minimal && grid != nullptr && is_worth_shifts(*grid)) {
      spread_demands(spreading, demands_, GridShifts(*grid, demands_));
    } else if (rule_ == RoutingRule::minimal) {
      spread_demands(spreading, demands_);
    } else {
      const std::vector<std::uint32_t> by_way = roots();
      check_steps(d_, static_cast<double>(by_way.size()) * static_cast<double>(graph_.links.size()),
                  fmt::format("loads by way of each of {} switches", by_way.size()));
      spread_by_way_of(spreading, by_way, demands_);
    }
  }

  NetworkLoad finish(const TrafficTotals& totals) const {
    NetworkLoad out;
    out.offered = Bytes(totals.offered);
    out.forwarded = Bytes(totals.forwarded);
    const double planes = static_cast<double>(d_.planes);
    double links = 0;
    double idle = 0;
    std::vector<std::string> names;
    for (const LinkRun& run : graph_.link_runs) {
      if (std::find(names.begin(), names.end(), run.name) == names.end()) names.push_back(run.name);
    }
    for (const std::string& name : names) {
      LinkLoad load = kind_load(name);
      const Seconds time = load.worst / byte_rate(d_.link_rate);
      if (time > out.bound) {
        out.bound = time;
        out.worst_link = load.name;
      }
      load.links *= planes;
      load.idle *= planes;
      links += load.links;
      idle += load.idle;
      out.links.push_back(std::move(load));
    }
    out.idle_share = links > 0 ? idle / links : 0;
    out.host_bound = Bytes(totals.busiest()) / byte_rate(d_.host_rate);
    return out;
  }

 private:
  /// Sources and destinations behind each switch.
  struct Side {
    NodeCounts sources;
    NodeCounts destinations;
  };
  static double total(const NodeCounts& counts) {
    double sum = 0;
    for (const auto& [root, count] : counts) sum += static_cast<double>(count);
    return sum;
  }

  void check_pairs() const {
    if (demands_.pairs() <= kMostPairs) return;
    fail_design(d_.input, "hosts", fmt::format("more than {} pairs of switches with traffic", kMostPairs),
                "a smaller design, or a folded Clos, whose loads follow by symmetry");
  }

  /// Destinations stand for others in grids that hold nothing else, and where every destination would take
  /// long.
  bool is_worth_shifts(const GridSizes& grid) const {
    constexpr double kQuick = 1e9;  // steps, of some seconds
    const bool alone = d_.networks == 1 && hosts_ == static_cast<std::uint32_t>(grid_nodes(grid));
    return alone && static_cast<double>(hosts_) * static_cast<double>(graph_.links.size()) > kQuick;
  }

  std::uint32_t root_of(std::uint32_t host) const {
    return single(host) ? paths_.adjacency().of(host).front().node : host;
  }

  /// Whether a host's only link leads to a switch.
  bool single(std::uint32_t host) const {
    const auto hops = paths_.adjacency().of(host);
    return hops.size() == 1 && hops.front().node >= hosts_;
  }

  /// Loads a host's only link and returns the switch behind it.
  std::uint32_t entered(std::uint32_t host, double bytes) {
    if (!single(host)) return host;
    const Hop hop = paths_.adjacency().of(host).front();
    bytes_.up[hop.link] += bytes;
    return hop.node;
  }
  std::uint32_t left(std::uint32_t host, double bytes) {
    if (!single(host)) return host;
    const Hop hop = paths_.adjacency().of(host).front();
    bytes_.down[hop.link] += bytes;
    return hop.node;
  }

  /// Nodes by way of which traffic may go: those that hosts are joined to, or hosts without switches.
  std::vector<std::uint32_t> roots() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t node = 0; node < graph_.nodes; ++node) {
      const bool root = node < hosts_ ? !single(node) : attaches_hosts(node);
      if (root) out.push_back(node);
    }
    return out;
  }

  bool attaches_hosts(std::uint32_t node) const {
    const auto hops = paths_.adjacency().of(node);
    return std::any_of(hops.begin(), hops.end(), [&](const Hop& hop) { return hop.node < hosts_; });
  }

  /// All links of a kind, one plane of them.
  LinkLoad kind_load(const std::string& name) const {
    LinkLoad load{name, 0, 0, Bytes(0), Bytes(0)};
    const double planes = static_cast<double>(d_.planes);
    double sum = 0;
    double worst = 0;
    for (const LinkRun& run : graph_.link_runs) {
      if (run.name != name) continue;
      for (std::uint32_t link = run.begin; link < run.end; ++link) {
        const double bytes = std::max(bytes_.up[link], bytes_.down[link]) / planes;
        load.links += 1;
        load.idle += bytes == 0 ? 1 : 0;
        sum += bytes;
        worst = std::max(worst, bytes);
      }
    }
    load.worst = Bytes(worst);
    load.mean = Bytes(load.links > 0 ? sum / load.links : 0);
    return load;
  }

  const NetworkDesign& d_;
  RoutingRule rule_;
  Graph graph_;
  ShortestPaths paths_;
  std::uint32_t hosts_ = 0;
  std::vector<std::vector<std::uint32_t>> node_of_;  // of each network and endpoint
  LinkBytes bytes_;
  Demands demands_;
};

}  // namespace

namespace {

/// Pairs of devices that a matrix has bytes for, at most.
double pairs_of(const TrafficMatrix& matrix) {
  double pairs = static_cast<double>(matrix.flows.size());
  const auto devices = static_cast<double>(matrix.devices);
  for (const TrafficClass& c : matrix.classes) {
    double members = 1;
    for (const auto& digit : c.digits) members *= static_cast<double>(digit.size);
    pairs += devices * (c.pattern == TrafficPattern::all ? members : 2);
  }
  return pairs;
}

/// Every destination searches the graph, and every pair is a flow.
void check_work(const NetworkDesign& design, const TrafficMatrix& matrix) {
  double links = 0;
  for (const LinkCount& count : design.fabric->counts().links) links += static_cast<double>(count.links);
  const double pairs = pairs_of(matrix);
  const double steps = std::min(pairs, static_cast<double>(matrix.devices)) * links + pairs;
  check_steps(design, steps,
              fmt::format("loads link by link of {:.3g} pairs of hosts over {:.3g} links of a network", pairs,
                          links));
}

}  // namespace

NetworkLoad load_on_graph(const NetworkDesign& design, const TrafficMatrix& matrix, RoutingRule rule) {
  check_work(design, matrix);
  GraphLoads loads(design, rule);
  const TrafficTotals totals = visit_traffic(
      design, matrix, [&](const EndpointFlow& flow) { loads.add(flow); },
      [&](const EndpointBundle& bundle) { loads.add(bundle); });
  loads.route();
  return loads.finish(totals);
}

}  // namespace trainyard
