#include <algorithm>
#include <cmath>

#include "base/mixing.h"
#include "network/flow/networks.h"
#include "network/wiring/sum_way.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "trainyard/errors.h"
#include "trainyard/load_balancing.h"
#include "trainyard/network_design.h"

namespace trainyard::flow {
namespace {

using wiring::Layout;

constexpr std::size_t kMostTiers = 3;  // of wiring::Layout

/// Of links on the way up to a tier and down again: delays, and at every switch what has to arrive of a
/// packet before it is sent on.
Seconds latency_over(const std::vector<LinkKind>& kinds, std::size_t tier, Bytes bytes,
                     const NetworkRules& rules) {
  const Bytes packet = std::min(bytes, rules.packet);
  const auto awaited = [&](std::size_t t, std::size_t next) {
    const bool cuts = rules.header && (next == kinds.size() || kinds[t].rate >= kinds[next].rate);
    return (cuts ? std::min(packet, *rules.header) : packet) / kinds[t].rate;
  };
  Seconds sum = packet / kinds[0].rate;  // into the host
  Seconds slowest{0};
  for (std::size_t t = 0; t <= tier; ++t) {
    sum += 2.0 * kinds[t].delay + awaited(t, t + 1);
    if (t > 0) sum += awaited(t, t - 1);
    slowest = std::max(slowest, packet / kinds[t].rate);
  }
  return sum - slowest;  // there it goes with the rest of the flow
}

std::vector<LinkKind> all_kinds(std::vector<LinkKind> kinds, std::size_t tiers) {
  kinds.resize(tiers, kinds.back());
  return kinds;
}

class SprayedBlocks final : public Network {
 public:
  SprayedBlocks(const ClosShape& shape, std::uint32_t planes, const std::vector<LinkKind>& kinds,
                const NetworkRules& rules)
      : Network(static_cast<std::uint32_t>(shape.endpoints), capacities_of(shape, planes, kinds)),
        shape_(shape),
        kinds_(kinds),
        rules_(rules) {
    std::uint32_t first = 2 * hosts();
    for (std::size_t t = 0; t < shape.top(); ++t) {
      first_up_.push_back(first);
      first += 2 * static_cast<std::uint32_t>(shape.blocks(t));
    }
  }

  bool route(const RouteQuery& query, const DownLinks& down, Route& out) const override {
    out.assign({{query.from, 1}, {hosts() + query.to, 1}});
    const std::int64_t a = leaf_of(query.from);
    const std::int64_t b = leaf_of(query.to);
    for (std::size_t t = 0; shape_.block_of_leaf(t, a) != shape_.block_of_leaf(t, b); ++t) {
      out.push_back({first_up_[t] + 2 * static_cast<std::uint32_t>(shape_.block_of_leaf(t, a)), 1});
      out.push_back({first_up_[t] + 2 * static_cast<std::uint32_t>(shape_.block_of_leaf(t, b)) + 1, 1});
    }
    return std::none_of(out.begin(), out.end(), [&](const LinkShare& use) { return down.is_down(use.link); });
  }

  Seconds latency(std::uint32_t from, std::uint32_t to, Bytes bytes) const override {
    std::size_t tier = 0;
    while (shape_.block_of_leaf(tier, leaf_of(from)) != shape_.block_of_leaf(tier, leaf_of(to))) ++tier;
    return latency_over(kinds_, tier, bytes, rules_);
  }

 private:
  std::int64_t leaf_of(std::uint32_t host) const { return share_of(shape_.endpoints, shape_.leaves(), host); }

  static std::vector<double> capacities_of(const ClosShape& shape, std::uint32_t planes,
                                           const std::vector<LinkKind>& kinds) {
    std::vector<double> out(2 * static_cast<std::size_t>(shape.endpoints), planes * kinds[0].rate.si());
    for (std::size_t t = 0; t < shape.top(); ++t) {
      const auto links = static_cast<double>(planes * shape.width(t) * shape.tiers[t].uplinks);
      out.insert(out.end(), 2 * static_cast<std::size_t>(shape.blocks(t)), links * kinds[t + 1].rate.si());
    }
    return out;
  }

  ClosShape shape_;
  std::vector<LinkKind> kinds_;
  NetworkRules rules_;
  std::vector<std::uint32_t> first_up_;  // of each tier; a block's link down follows its link up
};

/// Every link by itself.
class ClosLinks : public Network {
 public:
  ClosLinks(std::shared_ptr<const Layout> layout, const std::vector<LinkKind>& kinds,
            const NetworkRules& rules)
      : Network(layout->hosts(), capacities_of(*layout, kinds)),
        layout_(std::move(layout)),
        kinds_(kinds),
        rules_(rules) {}

  Seconds latency(std::uint32_t from, std::uint32_t to, Bytes bytes) const override {
    return latency_over(kinds_, layout_->meeting_tier(from, to), bytes, rules_);
  }

 protected:
  /// What a packet carries of its path, in a plane.
  struct PlaneWay : wiring::Way {
    std::uint32_t plane = 0;
  };

  const Layout& layout() const { return *layout_; }
  const NetworkRules& rules() const { return rules_; }

  /// Appends the links of a way until one that is down. Whether there was none.
  bool walk(std::uint32_t from, const PlaneWay& way, const DownLinks& down, Route& out, double share) const {
    std::uint32_t port = layout_->port_of_host(from, way.plane);
    while (!down.is_down(port)) {
      out.push_back({port, share});
      const wiring::Node& node = layout_->nodes[layout_->wires[port].node];
      if (node.hosts) return true;
      port = node.first_port + port_towards(*layout_, node, way);
    }
    return false;
  }

 private:
  static std::vector<double> capacities_of(const Layout& layout, const std::vector<LinkKind>& kinds) {
    std::vector<double> out;
    for (const wiring::Wire& wire : layout.wires) out.push_back(kinds[wire.link].rate.si());
    return out;
  }

  std::shared_ptr<const Layout> layout_;
  std::vector<LinkKind> kinds_;
  NetworkRules rules_;
};

/// One path a flow, chosen as wiring::Paths does.
class HashedClos final : public ClosLinks {
 public:
  using ClosLinks::ClosLinks;

  bool route(const RouteQuery& query, const DownLinks& down, Route& out) const override {
    const std::uint64_t hash = mixed(mixed(rules().seed) ^ (query.hash << 1U));
    PlaneWay way;
    way.to = layout().address_of_host[query.to];
    way.plane = query.plane_of(hash, layout().planes);
    choose(way, hash);
    static const DownLinks kNone;
    const bool avoids = rules().failures_known && !down.none();
    out.clear();
    if (walk(query.from, way, avoids ? down : kNone, out, 1)) return true;
    return find_other(query, down, hash, way, out);
  }

 private:
  static constexpr std::uint32_t kMostTries = 8;

  void choose(PlaneWay& way, std::uint64_t hash) const {
    const Layout& l = layout();
    if (traits_of(rules().load_balancing).by_destination) {
      if (l.uplinks_leaf > 0)
        way.up_leaf = static_cast<std::uint16_t>(wiring::host_of(way.to) % l.uplinks_leaf);
      if (l.uplinks_aggregation > 0)
        way.up_aggregation = static_cast<std::uint16_t>(wiring::leaf_of(way.to) % l.uplinks_aggregation);
      return;
    }
    way.up_leaf = static_cast<std::uint16_t>(below(hash, l.uplinks_leaf));
    way.up_aggregation = static_cast<std::uint16_t>(below(mixed(hash), l.uplinks_aggregation));
  }

  /// Plane by plane from the flow's own one on: a few by luck, then all.
  bool find_other(const RouteQuery& query, const DownLinks& down, std::uint64_t hash, PlaneWay way,
                  Route& out) const {
    const Layout& l = layout();
    for (std::uint32_t p = 0; p < l.planes; ++p, way.plane = (way.plane + 1) % l.planes) {
      const auto is_up = [&] {
        out.clear();
        return walk(query.from, way, down, out, 1);
      };
      choose(way, hash);
      if (is_up()) return true;
      for (std::uint32_t i = 0; i < kMostTries; ++i) {
        const std::uint64_t other = mixed(hash, i);
        way.up_leaf = static_cast<std::uint16_t>(below(other, l.uplinks_leaf));
        way.up_aggregation = static_cast<std::uint16_t>(below(mixed(other), l.uplinks_aggregation));
        if (is_up()) return true;
      }
      for (std::uint32_t i = 0; i < l.uplinks_leaf * std::max(1U, l.uplinks_aggregation); ++i) {
        way.up_leaf = static_cast<std::uint16_t>(i % l.uplinks_leaf);
        way.up_aggregation = static_cast<std::uint16_t>(i / l.uplinks_leaf);
        if (is_up()) return true;
      }
    }
    return false;
  }
};

/// Of a group's sums, the tree of its hash in every plane (packet/transports/sum_trees.h): from a host to the
/// next one of the group, so that all of them together take every link of the tree once up and once down.
class SummedClos final : public ClosLinks {
 public:
  using ClosLinks::ClosLinks;

  bool route(const RouteQuery& query, const DownLinks& down, Route& out) const override {
    const wiring::Way tree = wiring::sum_way(layout(), rules().seed, static_cast<std::uint32_t>(query.hash));
    PlaneWay way;
    way.up_leaf = tree.up_leaf;
    way.up_aggregation = tree.up_aggregation;
    way.to = layout().address_of_host[query.to];
    out.clear();
    for (; way.plane < layout().planes; ++way.plane)
      if (!walk(query.from, way, down, out, 1.0 / layout().planes)) return false;
    return true;
  }
};

/// All paths alike.
class SprayedClos final : public ClosLinks {
 public:
  using ClosLinks::ClosLinks;

  bool route(const RouteQuery& query, const DownLinks& down, Route& out) const override {
    out.clear();
    double arrives = 0;  // of what is sent
    double planes = 0;   // that are used
    for (std::uint32_t plane = 0; plane < layout().planes; ++plane) {
      const double share = spray(query, plane, down, out);
      if (rules().failures_known && share == 0) continue;
      arrives += share;
      ++planes;
    }
    if (arrives == 0) return false;
    merge(out);
    for (LinkShare& use : out) use.share /= rules().failures_known ? planes : arrives;
    return true;
  }

 private:
  /// Appends the links of a plane; which share of its bytes arrives.
  double spray(const RouteQuery& query, std::uint32_t plane, const DownLinks& down, Route& out) const {
    const Layout& l = layout();
    const std::uint32_t tier = l.meeting_tier(query.from, query.to);
    const std::uint32_t first = tier >= 1 ? l.uplinks_leaf : 1;
    const std::uint32_t second = tier >= 2 ? l.uplinks_aggregation : 1;
    const std::size_t begin = out.size();
    std::uint32_t up = 0;
    PlaneWay way;
    way.plane = plane;
    way.to = l.address_of_host[query.to];
    for (std::uint32_t i = 0; i < first * second; ++i) {
      way.up_leaf = static_cast<std::uint16_t>(i % first);
      way.up_aggregation = static_cast<std::uint16_t>(i / first);
      const std::size_t before = out.size();
      if (walk(query.from, way, down, out, 1)) {
        ++up;
      } else if (rules().failures_known) {
        out.resize(before);
      }
    }
    const double paths = rules().failures_known ? up : first * second;
    for (std::size_t i = begin; i < out.size(); ++i) out[i].share = 1 / paths;
    return up / std::max(paths, 1.0);
  }

  static void merge(Route& route) {
    std::sort(route.begin(), route.end(),
              [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
    std::size_t kept = 0;
    for (const LinkShare& use : route) {
      if (kept > 0 && route[kept - 1].link == use.link) {
        route[kept - 1].share += use.share;
      } else {
        route[kept++] = use;
      }
    }
    route.resize(kept);
  }
};

}  // namespace

bool takes_one_path(LoadBalancing choice) { return traits_of(choice).paths == FlowPaths::one; }

bool has_sum_trees(const ClosShape& shape) { return shape.tiers.size() <= kMostTiers; }

bool link_by_link(const ClosShape& shape, const NetworkRules& rules) {
  constexpr double kMostPaths = 4096;
  if (takes_one_path(rules.load_balancing) || rules.failures) return true;
  return !shape.even() && shape.tiers.size() <= kMostTiers && shape.link_paths() <= kMostPaths;
}

std::unique_ptr<Network> sprayed_blocks(const ClosShape& shape, std::uint32_t planes,
                                        const std::vector<LinkKind>& kinds, const NetworkRules& rules) {
  return std::make_unique<SprayedBlocks>(shape, planes, all_kinds(kinds, shape.tiers.size()), rules);
}

std::unique_ptr<Network> clos_links(std::shared_ptr<const Layout> layout, const std::vector<LinkKind>& kinds,
                                    const NetworkRules& rules) {
  const std::vector<LinkKind> all = all_kinds(kinds, layout->tiers);
  if (rules.sums) return std::make_unique<SummedClos>(std::move(layout), all, rules);
  if (takes_one_path(rules.load_balancing))
    return std::make_unique<HashedClos>(std::move(layout), all, rules);
  return std::make_unique<SprayedClos>(std::move(layout), all, rules);
}

std::unique_ptr<Network> network_of(const NetworkDesign& design, const NetworkRules& rules) {
  const ClosShape* shape = design.fabric->clos();
  const auto planes = static_cast<std::uint32_t>(design.planes);
  const std::vector<LinkKind> kinds = {{byte_rate(design.link_rate), rules.link_delay}};
  if (shape != nullptr && !link_by_link(*shape, rules)) return sprayed_blocks(*shape, planes, kinds, rules);
  if (shape == nullptr || shape->tiers.size() > kMostTiers) return graph_links(design, rules);
  auto layout =
      std::make_shared<const Layout>(wiring::lay_out(*shape, planes, {{}}, place_of(design.input.places)));
  return clos_links(std::move(layout), kinds, rules);
}

}  // namespace trainyard::flow
