#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/mixing.h"
#include "network/flow/networks.h"
#include "topology/fabric.h"
#include "topology/shortest_paths.h"
#include "topology/topology.h"
#include "trainyard/network_design.h"

namespace trainyard::flow {
namespace {

constexpr std::uint16_t kFar = ShortestPaths::kFar<std::uint16_t>;
constexpr std::size_t kMostRemembered = 100'000'000;  // distances, of 2 bytes
constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

/// Shortest paths over the graph of one plane; the other planes are alike.
class GraphLinks final : public Network {
 public:
  GraphLinks(const NetworkDesign& design, const NetworkRules& rules)
      : GraphLinks(design, rules, build_graph(design, {.planes = 1, .networks = 1})) {}

  bool route(const RouteQuery& query, const DownLinks& down, Route& out) const override {
    out.clear();
    if (takes_one_path(rules_.load_balancing)) return hashed(query, down, out);
    double arrives = 0;
    double planes = 0;  // that are used
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      const double share = spray(query, plane, down, out);
      if (rules_.failures_known && share == 0) continue;
      arrives += share;
      ++planes;
    }
    if (arrives == 0) return false;
    for (LinkShare& use : out) use.share /= rules_.failures_known ? planes : arrives;
    return true;
  }

  /// The way there and the way back are as long; of many to one, only the one's distances are searched for.
  Seconds latency(std::uint32_t from, std::uint32_t to, Bytes bytes) const override {
    if (!remembers(to) && remembers(from)) std::swap(from, to);
    const DownLinks none;
    const Target target = target_of(to, 0, none);
    const double links = target.distance_from(node_of_.at(from), 0, none);
    const Bytes awaited = std::min({bytes, rules_.packet, rules_.header.value_or(rules_.packet)});
    return links * rules_.link_delay + (links - 1) * (awaited / rate_);
  }

 private:
  GraphLinks(const NetworkDesign& design, const NetworkRules& rules, Graph graph)
      : Network(static_cast<std::uint32_t>(design.fabric->endpoints() - design.gateways),
                capacities_of(graph, design.planes)),
        rules_(rules),
        graph_(std::move(graph)),
        paths_(graph_),
        planes_(static_cast<std::uint32_t>(design.planes)),
        rate_(byte_rate(design.link_rate)),
        node_of_(endpoint_nodes(design)),
        place_(graph_.nodes, kNoPlace),
        found_(graph_.nodes, kFar),
        at_(graph_.nodes, 0) {
    for (std::uint32_t node = 0; node < graph_.nodes; ++node) {
      if (!is_leaf(node)) place_[node] = places_++;
    }
  }

  static std::vector<double> capacities_of(const Graph& graph, std::int64_t planes) {
    std::vector<double> out;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      for (const LinkRun& run : graph.link_runs)
        out.insert(out.end(), 2 * std::size_t{run.end - run.begin}, byte_rate(run.rate).si());
    }
    return out;
  }

  std::uint32_t directed(std::uint32_t node, const Hop& hop, std::uint32_t plane) const {
    const auto links = static_cast<std::uint32_t>(graph_.links.size());
    return 2 * (plane * links + hop.link) + (graph_.links[hop.link].a == node ? 0 : 1);
  }

  /// Distances to a host: those to the switch of its only link stand for all hosts there. Hosts that have no
  /// other link are on nobody's way, and have none.
  struct Target {
    const GraphLinks& links;
    std::uint32_t node = 0;
    std::uint32_t root = 0;
    bool root_down = false;  // the link from there
    const std::vector<std::uint16_t>* distances = nullptr;

    std::uint16_t distance(std::uint32_t at) const {
      if (at == node) return 0;
      const std::uint32_t place = links.place_[at];
      if (root_down || place == kNoPlace) return kFar;
      const std::uint16_t to_root = (*distances)[place];
      return to_root == kFar ? kFar : static_cast<std::uint16_t>(to_root + (node == root ? 0 : 1));
    }
    /// Of the host that sends.
    std::uint16_t distance_from(std::uint32_t host, std::uint32_t plane, const DownLinks& down) const {
      if (host == node || links.place_[host] != kNoPlace) return distance(host);
      const Hop hop = links.paths_.adjacency().of(host).front();
      const std::uint16_t behind = distance(hop.node);
      const bool is_down = links.rules_.failures_known && down.is_down(links.directed(host, hop, plane));
      return behind == kFar || is_down ? kFar : static_cast<std::uint16_t>(behind + 1);
    }
  };
  /// Whether a host's only link leads to what passes packets on.
  bool is_leaf(std::uint32_t node) const {
    return paths_.adjacency().of(node).size() == 1 && !paths_.forwards(node);
  }
  std::uint32_t root_of(std::uint32_t node) const {
    return is_leaf(node) ? paths_.adjacency().of(node).front().node : node;
  }

  Target target_of(std::uint32_t host, std::uint32_t plane, const DownLinks& down) const {
    Target out{*this};
    out.node = node_of_.at(host);
    out.root = root_of(out.node);
    if (out.root != out.node) {
      const auto hops = paths_.adjacency().of(out.node);
      const Hop back{out.node, hops.front().link};
      out.root_down = rules_.failures_known && down.is_down(directed(out.root, back, plane));
    }
    out.distances = &distances_to(out.root, plane, down);
    return out;
  }

  const std::vector<std::uint16_t>& distances_to(std::uint32_t root, std::uint32_t plane,
                                                 const DownLinks& down) const {
    const bool avoids = rules_.failures_known && !down.none();
    const std::uint64_t state = avoids ? down.hash() : 0;
    if (state != remembered_state_ || remembered_.size() * places_ > kMostRemembered) remembered_.clear();
    remembered_state_ = state;
    const std::uint64_t key = (std::uint64_t{avoids ? plane : 0} << 32U) | root;
    const auto [at, is_new] = remembered_.try_emplace(key);
    if (is_new) at->second = search(root, plane, down, avoids);
    return at->second;
  }

  std::vector<std::uint16_t> search(std::uint32_t root, std::uint32_t plane, const DownLinks& down,
                                    bool avoids) const {
    const auto works = [&](std::uint32_t node, const Hop& hop) {
      return place_[node] != kNoPlace && (!avoids || !down.is_down(directed(node, hop, plane)));
    };
    paths_.search(root, works, found_, order_);
    std::vector<std::uint16_t> out(places_, kFar);
    for (const std::uint32_t node : order_) out[place_[node]] = std::exchange(found_[node], kFar);
    return out;
  }
  /// Whether distances to a host, without failures, are known.
  bool remembers(std::uint32_t host) const {
    return remembered_state_ == 0 && remembered_.contains(root_of(node_of_.at(host)));
  }

  /// Which links a flow may be sent to.
  auto seen_up(std::uint32_t plane, const DownLinks& down) const {
    return [this, plane, &down](std::uint32_t node, const Hop& hop) {
      return !rules_.failures_known || !down.is_down(directed(node, hop, plane));
    };
  }

  /// From the plane of the flow's hash on, the first one with a way.
  bool hashed(const RouteQuery& query, const DownLinks& down, Route& out) const {
    const std::uint64_t hash = mixed(mixed(rules_.seed) ^ (query.hash << 1U));
    std::vector<Hop> hops;
    for (std::uint32_t p = 0; p < planes_; ++p) {
      const std::uint32_t plane = (query.plane_of(hash, planes_) + p) % planes_;
      const Target target = target_of(query.to, plane, down);
      const std::uint32_t from = node_of_[query.from];
      const std::uint16_t whole = target.distance_from(from, plane, down);
      const auto distance = [&](std::uint32_t at) { return at == from ? whole : target.distance(at); };
      std::uint32_t node = from;
      if (whole == kFar) continue;
      while (node != target.node) {
        hops.clear();
        paths_.visit_closer(node, distance, seen_up(plane, down),
                            [&](const Hop& hop) { hops.push_back(hop); });
        const Hop& hop = hops[below(mixed(hash, node), static_cast<std::uint32_t>(hops.size()))];
        out.push_back({directed(node, hop, plane), 1});
        node = hop.node;
      }
      return true;
    }
    return false;
  }

  /// Appends the links of a plane, at every node evenly over those that come closer. Which share arrives.
  double spray(const RouteQuery& query, std::uint32_t plane, const DownLinks& down, Route& out) const {
    const Target target = target_of(query.to, plane, down);
    const std::uint32_t from = node_of_[query.from];
    const std::uint16_t whole = target.distance_from(from, plane, down);
    const auto distance = [&](std::uint32_t at) { return at == from ? whole : target.distance(at); };
    std::vector<std::uint32_t> layer = {from};
    if (whole == kFar) return 0;
    at_[layer.front()] = 1;
    std::vector<std::uint32_t> next;
    while (!layer.empty() && layer.front() != target.node) {
      next.clear();
      for (const std::uint32_t node : layer) {
        const double here = std::exchange(at_[node], 0);
        paths_.spray(node, here, distance, seen_up(plane, down), [&](const Hop& hop, double share) {
          const std::uint32_t link = directed(node, hop, plane);
          if (down.is_down(link)) return;  // lost
          out.push_back({link, share});
          if (at_[hop.node] == 0) next.push_back(hop.node);
          at_[hop.node] += share;
        });
      }
      std::swap(layer, next);
    }
    const double arrives = at_[target.node];
    at_[target.node] = 0;
    return arrives;
  }

  NetworkRules rules_;
  Graph graph_;
  ShortestPaths paths_;
  std::uint32_t planes_;
  BytesPerSecond rate_;
  std::vector<std::uint32_t> node_of_;  // of each endpoint
  std::vector<std::uint32_t> place_;    // of each node among those that may be on a way
  std::uint32_t places_ = 0;
  mutable std::vector<std::uint16_t> found_;  // of each node, while searching; else kFar
  mutable std::vector<double> at_;            // of each node, while spraying; else 0
  mutable std::vector<std::uint32_t> order_;  // of a search
  mutable std::unordered_map<std::uint64_t, std::vector<std::uint16_t>> remembered_;
  mutable std::uint64_t remembered_state_ = 0;
};

}  // namespace

std::unique_ptr<Network> graph_links(const NetworkDesign& design, const NetworkRules& rules) {
  return std::make_unique<GraphLinks>(design, rules);
}

}  // namespace trainyard::flow
