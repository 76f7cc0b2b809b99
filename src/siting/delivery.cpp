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

Kilowatts kilowatts(double mw) { return std::llround(mw * kKilowattsPerMegawatt); }

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

DeliveryNetwork::DeliveryNetwork(const Grid& grid) : grid_(grid), firm_mw_(grid.nodes.size()) {
  for (const GridPlant& plant : grid.plants) firm_mw_[plant.node] += plant.firm_mw;
  for (const GridNode& node : grid.nodes) load_mw_ += node.peak_load_mw;
  intact_ = serve({});
}

/// Generation, lines and loads; nodes keep their numbers.
std::vector<DeliveryNetwork::Arc> DeliveryNetwork::arcs(const Outage& outage) const {
  std::vector<Arc> out;
  const std::uint32_t lost_at = outage.plant == kNowhere ? kNowhere : grid_.plants[outage.plant].node;
  for (std::uint32_t n = 0; n < grid_.nodes.size(); ++n) {
    double firm_mw = firm_mw_[n];
    if (n == lost_at) firm_mw = std::max(0.0, firm_mw - grid_.plants[outage.plant].firm_mw);
    out.push_back({source(), n, kilowatts(firm_mw)});
    out.push_back({n, sink(), kilowatts(grid_.nodes[n].peak_load_mw)});
  }
  for (std::uint32_t l = 0; l < grid_.lines.size(); ++l) {
    const GridLine& line = grid_.lines[l];
    if (l == outage.line || !carries(grid_, line)) continue;
    out.push_back({line.from, line.to, kilowatts(line.forward_mw)});
    out.push_back({line.to, line.from, kilowatts(line.reverse_mw)});
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
double DeliveryNetwork::headroom_mw(const std::vector<Drain>& sites, const Served& served) const {
  FlowGraph graph(sink() + 1 + sites.size());
  Kilowatts all = 0;  // more than can flow
  for (const Arc& arc : served.residual) {
    if (arc.from == source()) all += arc.limit_kw;
    graph.add(arc.from, arc.to, arc.limit_kw);
  }
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const std::size_t site = sink() + 1 + s;
    for (const std::uint32_t n : sites[s].nodes) graph.add(n, site, all);
    graph.add(site, sink(), sites[s].wanted_mw ? kilowatts(*sites[s].wanted_mw) : all);
  }
  return static_cast<double>(graph.max_flow(source(), sink())) / kKilowattsPerMegawatt;
}

const DeliveryNetwork::Served& DeliveryNetwork::served(const Outage& outage) const {
  if (outage.plant == kNowhere && outage.line == kNowhere) return intact_;
  const auto [at, fresh] = after_loss_.try_emplace({outage.plant, outage.line});
  if (fresh) at->second = serve(outage);
  return at->second;
}

double DeliveryNetwork::served_mw(const Outage& outage) const {
  return static_cast<double>(served(outage).flow_kw) / kKilowattsPerMegawatt;
}

double DeliveryNetwork::headroom_mw(const std::vector<Drain>& sites, const Outage& outage) const {
  return headroom_mw(sites, served(outage));
}

JointFlow DeliveryNetwork::joint(const std::vector<Drain>& sites, const std::vector<const PowerNode*>& nodes,
                                 bool outages) const {
  JointFlow out;
  for (const Drain& site : sites) out.wanted_mw += site.wanted_mw.value_or(0);
  out.delivered_mw = headroom_mw(sites);
  if (!outages) return out;
  double producer_mw = out.delivered_mw;
  double line_mw = out.delivered_mw;
  for (const PowerNode* node : nodes) {
    if (node->largest != kNowhere)
      producer_mw = std::min(producer_mw, headroom_mw(sites, {.plant = node->largest}));
    for (const std::uint32_t line : largest_lines(*node))
      line_mw = std::min(line_mw, headroom_mw(sites, {.line = line}));
  }
  out.producer_lost_mw = producer_mw;
  out.line_lost_mw = line_mw;
  return out;
}

std::vector<std::uint32_t> DeliveryNetwork::largest_lines(const PowerNode& node) const {
  std::vector<std::uint32_t> lines = node.boundary;
  const auto larger = [&](std::uint32_t a, std::uint32_t b) {
    const auto limit = [&](std::uint32_t l) {
      return std::max(grid_.lines[l].forward_mw, grid_.lines[l].reverse_mw);
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
  out.intact_mw = headroom_mw(site);
  out.producer_lost_mw =
      node.largest == kNowhere ? out.intact_mw : headroom_mw(site, {.plant = node.largest});
  if (!line_outages) return out;
  out.line_lost_mw = out.intact_mw;
  for (const std::uint32_t l : largest_lines(node))
    out.line_lost_mw = std::min(*out.line_lost_mw, headroom_mw(site, {.line = l}));
  return out;
}

}  // namespace trainyard
