// Loads on a folded Clos network from what enters and leaves its blocks.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/whole_numbers.h"
#include "topology/clos_loads.h"
#include "topology/clos_shape.h"
#include "topology/endpoints.h"
#include "topology/fabric.h"
#include "topology/loads_by_domain.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

class ClosLoads {
 public:
  ClosLoads(const NetworkDesign& design, const ClosShape& shape) : d_(design), shape_(shape) {
    for (std::int64_t n = 0; n < design.networks; ++n) {
      hosts_.emplace_back(shape.endpoints);
      tiers_.push_back(no_tier_loads(shape));
    }
  }

  void add(const EndpointFlow& flow) {
    InOut& hosts = hosts_[index(flow.network)];
    hosts.out[index(flow.from)] += flow.bytes;
    hosts.in[index(flow.to)] += flow.bytes;
    std::int64_t from = leaf(flow.from);
    std::int64_t to = leaf(flow.to);
    for (std::size_t t = 0; t < shape_.top(); ++t) {
      if (t > 0) {
        from /= shape_.tiers[t].children;
        to /= shape_.tiers[t].children;
      }
      if (from == to) return;
      InOut& tier = tiers_[index(flow.network)][t];
      tier.out[index(from)] += flow.bytes;
      tier.in[index(to)] += flow.bytes;
    }
  }

  /// Every source to every destination but those of its own HB domain.
  void add(const EndpointBundle& bundle) {
    InOut& hosts = hosts_[index(bundle.network)];
    const Counted sources(bundle.sources, [](const auto& m) { return Key{0, m.domain}; });
    const Counted destinations(bundle.destinations, [](const auto& m) { return Key{0, m.domain}; });
    for (const auto& m : bundle.sources)
      hosts.out[index(m.endpoint)] += bundle.bytes * (destinations.all() - destinations.of({0, m.domain}));
    for (const auto& m : bundle.destinations)
      hosts.in[index(m.endpoint)] += bundle.bytes * (sources.all() - sources.of({0, m.domain}));
    for (std::size_t t = 0; t < shape_.top(); ++t) {
      InOut& tier = tiers_[index(bundle.network)][t];
      add_crossing(tier.out, t, bundle.sources, bundle.destinations, bundle.bytes);
      add_crossing(tier.in, t, bundle.destinations, bundle.sources, bundle.bytes);
    }
  }

  NetworkLoad finish(const TrafficTotals& totals) const {
    std::vector<const TierLoads*> tiers;
    for (const TierLoads& network : tiers_) tiers.push_back(&network);
    std::vector<LinkLoad> links;
    for (const LinkCount& of : count(d_).links)
      links.push_back(links.empty() ? host_load(of) : tier_load(d_, of, links.size() - 1, tiers));
    NetworkLoad out = bound_by(d_, std::move(links));
    out.offered = Bytes(totals.offered);
    out.forwarded = Bytes(totals.forwarded);
    out.host_bound = Bytes(totals.busiest()) / byte_rate(d_.host_rate);
    return out;
  }

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;
  using Members = std::vector<EndpointBundle::Member>;

  /// How many members have a key.
  class Counted {
   public:
    template <class KeyOf>
    Counted(const Members& members, const KeyOf& key_of) : all_(static_cast<double>(members.size())) {
      keys_.reserve(members.size());
      for (const auto& m : members) keys_.push_back(key_of(m));
      std::sort(keys_.begin(), keys_.end());
    }
    double all() const { return all_; }
    double of(const Key& key) const {
      const auto range = std::equal_range(keys_.begin(), keys_.end(), key);
      return static_cast<double>(range.second - range.first);
    }

   private:
    double all_;
    std::vector<Key> keys_;
  };

  std::int64_t leaf(std::int64_t endpoint) const {
    return share_of(shape_.endpoints, shape_.leaves(), endpoint);
  }
  std::int64_t block(std::size_t tier, std::int64_t endpoint) const {
    return shape_.block_of_leaf(tier, leaf(endpoint));
  }

  /// What each block's members exchange with others outside the block and outside their HB domain.
  void add_crossing(std::vector<double>& sums, std::size_t t, const Members& members, const Members& others,
                    double bytes) {
    const Counted by_block(others, [&](const auto& m) { return Key{block(t, m.endpoint), 0}; });
    const Counted by_domain(others, [](const auto& m) { return Key{0, m.domain}; });
    const Counted by_both(others, [&](const auto& m) { return Key{block(t, m.endpoint), m.domain}; });
    for (const auto& m : members) {
      const std::int64_t b = block(t, m.endpoint);
      const double outside =
          by_block.all() - by_block.of({b, 0}) - by_domain.of({0, m.domain}) + by_both.of({b, m.domain});
      sums[index(b)] += bytes * outside;
    }
  }

  LinkLoad host_load(const LinkCount& count) const {
    LinkLoad load = idle_load(count);
    const double planes = static_cast<double>(d_.planes);
    double sum = 0;
    double worst = 0;
    for (const InOut& hosts : hosts_) {
      for (std::size_t h = 0; h < hosts.out.size(); ++h) {
        const double bytes = std::max(hosts.out[h], hosts.in[h]) / planes;
        sum += bytes * planes;
        worst = std::max(worst, bytes);
        if (hosts.out[h] == 0 && hosts.in[h] == 0) load.idle += planes;
      }
    }
    load.worst = Bytes(worst);
    load.mean = Bytes(sum / load.links);
    return load;
  }

  const NetworkDesign& d_;
  const ClosShape& shape_;
  std::vector<InOut> hosts_;  // of each network
  std::vector<TierLoads> tiers_;
};

}  // namespace

NetworkLoad load_by_symmetry(const NetworkDesign& design, const TrafficMatrix& matrix) {
  const ClosShape* shape = design.fabric->clos();
  TY_ASSERT(shape != nullptr, "loads by symmetry need a folded Clos network");
  std::vector<NetworkLoad> loads = loads_by_domain(design, matrix, {std::nullopt});
  if (!loads.empty()) return std::move(loads.front());
  return load_by_device(design, matrix);
}

NetworkLoad load_by_device(const NetworkDesign& design, const TrafficMatrix& matrix) {
  ClosLoads loads(design, *design.fabric->clos());
  const TrafficTotals totals = visit_traffic(
      design, matrix, [&](const EndpointFlow& flow) { loads.add(flow); },
      [&](const EndpointBundle& bundle) { loads.add(bundle); });
  return loads.finish(totals);
}

std::vector<NetworkLoad> loads_of(const NetworkDesign& design, const TrafficMatrix& matrix,
                                  const std::vector<TrafficPart>& parts) {
  std::vector<NetworkLoad> loads = loads_by_domain(design, matrix, parts);
  if (!loads.empty()) return loads;
  for (const TrafficPart& part : parts)
    loads.push_back(load_of(design, part ? only_kind(matrix, *part) : matrix));
  return loads;
}

NetworkLoad load_of(const NetworkDesign& design, const TrafficMatrix& matrix) {
  if (design.fabric->clos()) return load_by_symmetry(design, matrix);
  NetworkLoad minimal = load_on_graph(design, matrix);
  if (design.fabric->tiers() == 0) return minimal;
  NetworkLoad valiant = load_on_graph(design, matrix, RoutingRule::valiant);
  return valiant.bound < minimal.bound ? valiant : minimal;
}

}  // namespace trainyard
