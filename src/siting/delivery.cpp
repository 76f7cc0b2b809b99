#include "siting/delivery.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>

namespace trainyard {
namespace {

using Kilowatts = std::int64_t;
constexpr double kKilowattsPerMegawatt = 1000;
constexpr std::size_t kLinesTried = 5;

Kilowatts kilowatts(Megawatts power) { return std::llround(power.count() * kKilowattsPerMegawatt); }

Megawatts megawatts(Kilowatts power) { return Megawatts(real(power) / kKilowattsPerMegawatt); }

/// Arcs with their reverses, as Boost.Graph's flows want them.
class FlowGraph {
 public:
  explicit FlowGraph(std::size_t vertices) : graph_(vertices) {}

  void add(std::size_t from, std::size_t to, Kilowatts limit) {
    if (limit <= 0) return;
    const Arc there = boost::add_edge(from, to, graph_).first;
    const Arc back = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, there, limit);
    boost::put(boost::edge_capacity, graph_, back, Kilowatts(0));
    boost::put(boost::edge_reverse, graph_, there, back);
    boost::put(boost::edge_reverse, graph_, back, there);
  }

  Kilowatts max_flow(std::size_t source, std::size_t sink) {
    return boost::push_relabel_max_flow(graph_, source, sink);
  }

  /// Calls f(from, to, residual) for every arc that can carry more.
  template <class F>
  void each_residual(const F& f) const {
    for (auto [arc, end] = boost::edges(graph_); arc != end; ++arc) {
      const Kilowatts left = boost::get(boost::edge_residual_capacity, graph_, *arc);
      if (left > 0) f(boost::source(*arc, graph_), boost::target(*arc, graph_), left);
    }
  }

 private:
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Arc = Traits::edge_descriptor;
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                            boost::property<boost::edge_capacity_t, Kilowatts,
                                            boost::property<boost::edge_residual_capacity_t, Kilowatts,
                                                            boost::property<boost::edge_reverse_t, Arc>>>>;

  Graph graph_;
};

/// Whether a line can carry power at all: AC only within one interconnection.
bool carries(const Grid& grid, const GridLine& line) {
  return line.kind != "AC" || grid.nodes[line.from].interconnection == grid.nodes[line.to].interconnection;
}

}  // namespace

DeliveryNetwork::DeliveryNetwork(const Grid& grid) : grid_(grid), firm_(grid.nodes.size()) {
  for (const GridPlant& plant : grid.plants) firm_[plant.node] += plant.firm;
  for (const GridNode& node : grid.nodes) load_ += node.peak_load;
  intact_ = serve({});
}

/// Generation, lines and loads; nodes keep their numbers.
std::vector<DeliveryNetwork::Arc> DeliveryNetwork::arcs(const Outage& outage) const {
  std::vector<Arc> out;
  const std::uint32_t lost_at = outage.plant == kNowhere ? kNowhere : grid_.plants[outage.plant].node;
  for (std::uint32_t n = 0; n < grid_.nodes.size(); ++n) {
    Megawatts firm = firm_[n];
    if (n == lost_at) firm = std::max(Megawatts(), firm - grid_.plants[outage.plant].firm);
    out.push_back({source(), n, kilowatts(firm)});
    out.push_back({n, sink(), kilowatts(grid_.nodes[n].peak_load)});
  }
  for (std::uint32_t l = 0; l < grid_.lines.size(); ++l) {
    const GridLine& line = grid_.lines[l];
    if (l == outage.line || !carries(grid_, line)) continue;
    out.push_back({line.from, line.to, kilowatts(line.forward)});
    out.push_back({line.to, line.from, kilowatts(line.reverse)});
  }
  return out;
}

DeliveryNetwork::Served DeliveryNetwork::serve(const Outage& outage) const {
  FlowGraph graph(sink() + 1);
  for (const Arc& arc : arcs(outage)) graph.add(arc.from, arc.to, arc.limit_kw);
  Served out;
  out.flow_kw = graph.max_flow(source(), sink());
  graph.each_residual([&](std::size_t from, std::size_t to, Kilowatts left) {
    // What left the sink or entered the source would only undo what is served.
    if (from != sink() && to != source())
      out.residual.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), left});
  });
  return out;
}

/// The flow that still fits beside the loads: it may take other ways for them, never their power.
Megawatts DeliveryNetwork::headroom(const std::vector<Drain>& sites, const Served& served) const {
  FlowGraph graph(sink() + 1 + sites.size());
  Kilowatts all = 0;  // more than can flow
  for (const Arc& arc : served.residual) {
    if (arc.from == source()) all += arc.limit_kw;
    graph.add(arc.from, arc.to, arc.limit_kw);
  }
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const std::size_t site = sink() + 1 + s;
    for (const std::uint32_t n : sites[s].nodes) graph.add(n, site, all);
    graph.add(site, sink(), sites[s].wanted ? kilowatts(*sites[s].wanted) : all);
  }
  return megawatts(graph.max_flow(source(), sink()));
}

const DeliveryNetwork::Served& DeliveryNetwork::served(const Outage& outage) const {
  if (outage.plant == kNowhere && outage.line == kNowhere) return intact_;
  const auto [at, fresh] = after_loss_.try_emplace({outage.plant, outage.line});
  if (fresh) at->second = serve(outage);
  return at->second;
}

Megawatts DeliveryNetwork::served_load(const Outage& outage) const {
  return megawatts(served(outage).flow_kw);
}

Megawatts DeliveryNetwork::headroom(const std::vector<Drain>& sites, const Outage& outage) const {
  return headroom(sites, served(outage));
}

JointFlow DeliveryNetwork::joint(const std::vector<Drain>& sites, const std::vector<const PowerNode*>& nodes,
                                 bool outages) const {
  JointFlow out;
  for (const Drain& site : sites) out.wanted += site.wanted.value_or(Megawatts());
  out.delivered = headroom(sites);
  if (!outages) return out;
  Megawatts producer_lost = out.delivered;
  Megawatts line_lost = out.delivered;
  for (const PowerNode* node : nodes) {
    if (node->largest != kNowhere)
      producer_lost = std::min(producer_lost, headroom(sites, {.plant = node->largest}));
    for (const std::uint32_t line : largest_lines(*node))
      line_lost = std::min(line_lost, headroom(sites, {.line = line}));
  }
  out.producer_lost = producer_lost;
  out.line_lost = line_lost;
  return out;
}

std::vector<std::uint32_t> DeliveryNetwork::largest_lines(const PowerNode& node) const {
  std::vector<std::uint32_t> lines = node.boundary;
  const auto larger = [&](std::uint32_t a, std::uint32_t b) {
    const auto limit = [&](std::uint32_t l) {
      return std::max(grid_.lines[l].forward, grid_.lines[l].reverse);
    };
    return limit(a) != limit(b) ? limit(a) > limit(b) : a < b;
  };
  std::sort(lines.begin(), lines.end(), larger);
  lines.resize(std::min(lines.size(), kLinesTried));
  return lines;
}

Deliverable DeliveryNetwork::deliverable(const PowerNode& node, bool line_outages) const {
  const std::vector<Drain> site = {{node.nodes, std::nullopt}};
  Deliverable out;
  out.intact = headroom(site);
  out.producer_lost = node.largest == kNowhere ? out.intact : headroom(site, {.plant = node.largest});
  if (!line_outages) return out;
  out.line_lost = out.intact;
  for (const std::uint32_t l : largest_lines(node))
    out.line_lost = std::min(*out.line_lost, headroom(site, {.line = l}));
  return out;
}

}  // namespace trainyard
