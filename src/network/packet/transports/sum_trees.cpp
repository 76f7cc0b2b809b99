#include "network/packet/transports/sum_trees.h"

#include <algorithm>
#include <map>
#include <utility>

#include "network/wiring/sum_way.h"

namespace trainyard::packet {
namespace {

/// Makes the tree of one group in one plane.
class SumTreeBuilder {
 public:
  SumTreeBuilder(const Layout& layout, const std::vector<std::uint32_t>& hosts, std::uint32_t group,
                 std::uint32_t plane, const wiring::Way& way)
      : layout_(layout), hosts_(hosts), group_(group), plane_(plane), way_(way) {}

  void add_to(std::vector<SumTrees::Place>& places) {
    const std::uint32_t root = climb();
    for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) descend(root, rank);
    for (auto& [node, place] : made_) places.push_back(std::move(place));
  }

 private:
  bool is_above_all(const Node& node) const {
    return std::all_of(hosts_.begin(), hosts_.end(), [&](std::uint32_t host) {
      return layout_.block_of_leaf[node.tier][leaf_of(layout_.address_of_host[host])] == node.block;
    });
  }

  /// From the first host to the first switch that is above all.
  std::uint32_t climb() const {
    std::uint32_t at = layout_.wires[layout_.port_of_host(hosts_.front(), plane_)].node;
    while (!is_above_all(layout_.nodes[at])) {
      const Node& node = layout_.nodes[at];
      const std::uint32_t up = node.tier == 0 ? way_.up_leaf : way_.up_aggregation;
      at = layout_.wires[node.first_port + node.ports_down + up].node;
    }
    return at;
  }

  void descend(std::uint32_t root, std::uint32_t rank) {
    wiring::Way way = way_;
    way.to = layout_.address_of_host[hosts_[rank]];
    std::uint32_t at = root;
    std::uint16_t parent = SumTrees::kRoot;
    while (!layout_.nodes[at].hosts) {
      const Node& node = layout_.nodes[at];
      SumTrees::Place& place = made_[at];
      place.node = at;
      place.group = group_;
      place.parent = parent;
      const auto port = static_cast<std::uint16_t>(wiring::port_towards(layout_, node, way));
      const Wire& down = layout_.wires[node.first_port + port];
      add_child(place, port, layout_.nodes[down.node].hosts ? rank : kNobody);
      at = down.node;
      parent = down.in_port;
    }
  }

  static void add_child(SumTrees::Place& place, std::uint16_t port, std::uint32_t rank) {
    for (const SumTrees::Child& child : place.children) {
      if (child.port == port) return;
    }
    place.children.push_back({port, rank});
  }

  const Layout& layout_;
  const std::vector<std::uint32_t>& hosts_;
  std::uint32_t group_;
  std::uint32_t plane_;
  wiring::Way way_;
  std::map<std::uint32_t, SumTrees::Place> made_;  // by node
};

}  // namespace

SumTrees::SumTrees(const Layout& layout, const std::vector<std::vector<std::uint32_t>>& groups,
                   std::uint64_t seed) {
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    ways_.push_back(wiring::sum_way(layout, seed, group));
    for (std::uint32_t plane = 0; plane < layout.planes; ++plane)
      SumTreeBuilder(layout, groups[group], group, plane, ways_[group]).add_to(places_);
  }
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.node < b.node; });
  first_place_.assign(layout.nodes.size() + 1, 0);
  for (const Place& place : places_) ++first_place_[place.node + 1];
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) first_place_[n + 1] += first_place_[n];
}

Picoseconds SumTrees::longest_way_up(const Layout& layout, std::uint64_t bytes, Picoseconds sum_delay) const {
  Picoseconds longest = 0;
  for (const Place& leaf : places_) {
    if (leaf.children.front().rank == kNobody) continue;
    Picoseconds sum = 0;
    for (const Place* at = &leaf;;) {
      const std::uint32_t first = layout.nodes[at->node].first_port;
      // Both directions of a link are alike.
      const LinkRules& below = layout.link_of(first + at->children.front().port);
      sum += below.delay + below.time(bytes) + (at->children.size() > 1 ? sum_delay : 0);
      if (at->parent == kRoot) break;
      at = &places_[find(layout.wires[first + at->parent].node, at->group)];
    }
    longest = std::max(longest, sum);
  }
  return longest;
}

std::size_t SumTrees::bytes() const {
  std::size_t sum = places_.capacity() * sizeof(Place) + first_place_.capacity() * sizeof(std::uint32_t);
  for (const Place& place : places_) sum += place.children.capacity() * sizeof(Child);
  return sum;
}

}  // namespace trainyard::packet
