#include "topology/demands.h"

#include <algorithm>
#include <span>
#include <utility>

#include "topology/grid_shifts.h"
#include "topology/shortest_paths.h"

namespace trainyard {
namespace {

using Distance = std::uint32_t;
constexpr Distance kFar = ShortestPaths::kFar<Distance>;

/// Spreads what is sent to one destination after the other.
class Spreader {
 public:
  explicit Spreader(const Spreading& s)
      : s_(s), left_out_(s.graph.nodes, 0), at_(s.graph.nodes, 0), distance_(s.graph.nodes, kFar) {
    for (std::uint32_t node = 0; node < s.graph.nodes; ++node)
      left_out_[node] = s.leads_nowhere(node) ? 1 : 0;
  }

  /// Demands to one destination.
  void spread(std::span<const Demand> demands) {
    const std::uint32_t to = demands.front().to;
    for (const Demand& demand : demands) at_[demand.from] += demand.bytes;
    for (const std::uint32_t node : order_) distance_[node] = kFar;
    const auto usable = [&](std::uint32_t node, const Hop&) { return left_out_[node] == 0; };
    s_.paths.search(to, usable, distance_, order_);
    for (const Demand& demand : demands) {
      if (distance_[demand.from] == kFar) s_.unreachable(demand.from, to);
    }
    for (std::size_t i = order_.size(); i-- > 1;) pass_on(order_[i]);
    at_[to] = 0;
  }

 private:
  /// Evenly over the links that come closer: those of the farthest nodes first.
  void pass_on(std::uint32_t node) {
    const double bytes = std::exchange(at_[node], 0);
    if (bytes <= 0) return;  // what HB domains keep cancels to nothing, or to the last bit
    closer_.clear();
    s_.paths.visit_closer(
        node, [&](std::uint32_t at) { return distance_[at]; }, [](std::uint32_t, const Hop&) { return true; },
        [&](const Hop& hop) { closer_.push_back(hop); });
    const double part = bytes / static_cast<double>(closer_.size());
    for (const Hop& hop : closer_) {
      s_.out.send(s_.graph, node, hop.link, part);
      at_[hop.node] += part;
    }
  }

  const Spreading& s_;
  std::vector<char> left_out_;
  std::vector<double> at_;  // bytes at each node
  std::vector<Distance> distance_;
  std::vector<std::uint32_t> order_;  // nodes that were reached, nearest first
  std::vector<Hop> closer_;           // of a node
};

std::vector<double> of_roots(const std::vector<std::uint32_t>& roots,
                             const std::unordered_map<std::uint32_t, double>& bytes) {
  std::vector<double> out;
  for (const std::uint32_t root : roots) {
    const auto found = bytes.find(root);
    out.push_back(found == bytes.end() ? 0 : found->second);
  }
  return out;
}

}  // namespace

void Demands::add_all(const NodeCounts& sources, const NodeCounts& destinations, double bytes) {
  AllToAll all;
  all.bytes = bytes;
  for (const auto& [node, devices] : sources) all.sources.push_back({node, static_cast<double>(devices)});
  for (const auto& [node, devices] : destinations)
    all.destinations.push_back({node, static_cast<double>(devices)});
  all_.push_back(std::move(all));
}

std::vector<Demand> Demands::sorted_pairs() const {
  std::vector<Demand> out;
  out.reserve(pairs_.size());
  for (const auto& [key, bytes] : pairs_)
    out.push_back({static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key), bytes});
  std::sort(out.begin(), out.end(), [](const Demand& a, const Demand& b) {
    return std::pair(a.to, a.from) < std::pair(b.to, b.from);
  });
  return out;
}

std::vector<Demands::Share> Demands::shares() const {
  std::vector<Share> out;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    for (const Counted& to : all_[i].destinations)
      out.push_back({to.node, static_cast<std::uint32_t>(i), all_[i].bytes * to.devices});
  }
  std::stable_sort(out.begin(), out.end(), [](const Share& a, const Share& b) { return a.to < b.to; });
  return out;
}

void Demands::visit(const std::function<void(const std::vector<Demand>&)>& on_destination,
                    const std::function<bool(std::uint32_t)>& wanted) const {
  const std::vector<Demand> pairs = sorted_pairs();
  const std::vector<Share> shares = this->shares();
  std::vector<Demand> demands;
  for (std::size_t p = 0, s = 0; p < pairs.size() || s < shares.size();) {
    const bool by_pair = s == shares.size() || (p < pairs.size() && pairs[p].to <= shares[s].to);
    const std::uint32_t to = by_pair ? pairs[p].to : shares[s].to;
    demands.clear();
    if (wanted && !wanted(to)) {
      while (p < pairs.size() && pairs[p].to == to) ++p;
      while (s < shares.size() && shares[s].to == to) ++s;
      continue;
    }
    for (; p < pairs.size() && pairs[p].to == to; ++p) demands.push_back(pairs[p]);
    for (; s < shares.size() && shares[s].to == to; ++s) {
      for (const Counted& from : all_[shares[s].product].sources) {
        if (from.node != to) demands.push_back({to, from.node, shares[s].bytes * from.devices});
      }
    }
    if (!demands.empty()) on_destination(demands);
  }
}

bool Demands::same_after(const std::function<std::uint32_t(std::uint32_t)>& place_of) const {
  for (const auto& [key, bytes] : pairs_) {
    const std::uint32_t to = place_of(static_cast<std::uint32_t>(key >> 32U));
    const auto found = pairs_.find((std::uint64_t{to} << 32U) | place_of(static_cast<std::uint32_t>(key)));
    if (found == pairs_.end() || found->second != bytes) return false;
  }
  std::vector<AllToAll> here, there;
  const auto place = [&](std::vector<Counted>& ends) {
    for (Counted& end : ends) end.node = place_of(end.node);
    std::sort(ends.begin(), ends.end());
  };
  for (const AllToAll& all : all_) {
    if (all.inside_one_node()) continue;  // which is nothing
    here.push_back(all);
    there.push_back(all);
    place(there.back().sources);
    place(there.back().destinations);
  }
  std::sort(here.begin(), here.end());
  std::sort(there.begin(), there.end());
  return here == there;
}

Demands::Totals Demands::totals() const {
  Totals out;
  for (const Demand& pair : sorted_pairs()) {
    out.sent[pair.from] += pair.bytes;
    out.received[pair.to] += pair.bytes;
  }
  const auto add = [](std::unordered_map<std::uint32_t, double>& sums, const std::vector<Counted>& ends,
                      const std::vector<Counted>& others, double bytes) {
    double all = 0;
    std::unordered_map<std::uint32_t, double> same;
    for (const Counted& other : others) {
      all += other.devices;
      same[other.node] = other.devices;
    }
    for (const Counted& end : ends) {
      const auto own = same.find(end.node);
      sums[end.node] += bytes * end.devices * (all - (own == same.end() ? 0 : own->second));
    }
  };
  for (const AllToAll& all : all_) {
    add(out.sent, all.sources, all.destinations, all.bytes);
    add(out.received, all.destinations, all.sources, all.bytes);
  }
  return out;
}

void spread_demands(const Spreading& spreading, const Demands& demands) {
  Spreader spreader(spreading);
  demands.visit([&](const std::vector<Demand>& of_one) { spreader.spread(of_one); });
}

void spread_demands(const Spreading& spreading, const Demands& demands, const GridShifts& shifts) {
  LinkBytes of_kinds(spreading.graph);
  const Spreading some{spreading.graph, spreading.paths, spreading.leads_nowhere, spreading.unreachable,
                       of_kinds};
  Spreader spreader(some);
  demands.visit([&](const std::vector<Demand>& of_one) { spreader.spread(of_one); },
                [&](std::uint32_t node) { return shifts.stands_for_others(node); });
  shifts.add_all(spreading.graph, of_kinds, spreading.out);
}

void spread_by_way_of(const Spreading& spreading, const std::vector<std::uint32_t>& roots,
                      const Demands& demands) {
  Spreader spreader(spreading);
  const Demands::Totals totals = demands.totals();
  const std::vector<double> out = of_roots(roots, totals.sent);
  const std::vector<double> in = of_roots(roots, totals.received);
  const auto count = static_cast<double>(roots.size());
  std::vector<Demand> halves;
  for (std::size_t to = 0; to < roots.size(); ++to) {
    halves.clear();
    for (std::size_t from = 0; from < roots.size(); ++from) {
      const double bytes = (out[from] + in[to]) / count;
      if (from != to && bytes > 0) halves.push_back({roots[to], roots[from], bytes});
    }
    if (!halves.empty()) spreader.spread(halves);
  }
}

}  // namespace trainyard
