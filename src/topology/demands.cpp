#include "topology/demands.h"

#include <algorithm>
#include <utility>

#include "topology/shortest_paths.h"

namespace trainyard {
namespace {

using Distance = std::uint32_t;
constexpr Distance kFar = ShortestPaths::kFar<Distance>;

/// From the farthest node on, evenly over the links that come closer to the first of `order`.
void spread(const Graph& graph, const ShortestPaths& paths, const std::vector<std::uint32_t>& order,
            const std::vector<Distance>& distance, std::vector<double>& at, LinkBytes& out) {
  const auto distance_of = [&](std::uint32_t node) { return distance[node]; };
  const auto any = [](std::uint32_t, const Hop&) { return true; };
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::uint32_t node = order[i];
    const double bytes = std::exchange(at[node], 0);
    if (bytes <= 0) continue;  // what HB domains keep cancels to nothing, or to the last bit
    paths.spray(node, bytes, distance_of, any, [&](const Hop& hop, double part) {
      out.send(graph, node, hop.link, part);
      at[hop.node] += part;
    });
  }
  at[order.front()] = 0;
}

}  // namespace

std::vector<Demand> Demands::sorted() const {
  std::vector<Demand> out;
  for (const auto& [key, bytes] : bytes_)
    out.push_back({static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key), bytes});
  std::sort(out.begin(), out.end(), [](const Demand& a, const Demand& b) {
    return std::pair(a.to, a.from) < std::pair(b.to, b.from);
  });
  return out;
}

std::vector<Demand> by_way_of(const std::vector<std::uint32_t>& roots, const std::vector<Demand>& demands) {
  std::unordered_map<std::uint32_t, double> sent;
  std::unordered_map<std::uint32_t, double> received;
  for (const Demand& demand : demands) {
    sent[demand.from] += demand.bytes;
    received[demand.to] += demand.bytes;
  }
  std::vector<double> out;  // of each root
  std::vector<double> in;
  for (const std::uint32_t root : roots) {
    out.push_back(sent[root]);
    in.push_back(received[root]);
  }
  std::vector<Demand> halves;
  const auto count = static_cast<double>(roots.size());
  for (std::size_t to = 0; to < roots.size(); ++to) {
    for (std::size_t from = 0; from < roots.size(); ++from) {
      const double bytes = (out[from] + in[to]) / count;
      if (from != to && bytes > 0) halves.push_back({roots[to], roots[from], bytes});
    }
  }
  return halves;
}

void spread_demands(const Graph& graph, const ShortestPaths& paths, const std::vector<Demand>& demands,
                    const std::function<bool(std::uint32_t)>& leads_nowhere,
                    const std::function<void(std::uint32_t, std::uint32_t)>& unreachable, LinkBytes& out) {
  std::vector<char> left_out(graph.nodes, 0);
  for (std::uint32_t node = 0; node < graph.nodes; ++node) left_out[node] = leads_nowhere(node) ? 1 : 0;
  const auto usable = [&](std::uint32_t node, const Hop&) { return left_out[node] == 0; };
  std::vector<double> at(graph.nodes, 0);
  std::vector<Distance> distance(graph.nodes, kFar);
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < demands.size();) {
    const std::uint32_t to = demands[i].to;
    const std::size_t first = i;
    for (; i < demands.size() && demands[i].to == to; ++i) at[demands[i].from] += demands[i].bytes;
    for (const std::uint32_t node : order) distance[node] = kFar;
    paths.search(to, usable, distance, order);
    for (std::size_t k = first; k < i; ++k) {
      if (distance[demands[k].from] == kFar) unreachable(demands[k].from, to);
    }
    spread(graph, paths, order, distance, at, out);
  }
}

}  // namespace trainyard
