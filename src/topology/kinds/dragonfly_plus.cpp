// Dragonfly+ (Shpiner et al. 2017): groups are two-tier trees of leaves and spines; spines join the groups.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/counted.h"
#include "base/whole_numbers.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/farthest.h"
#include "topology/graph.h"
#include "topology/topologies.h"
#include "trainyard/design_counts.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

struct Shape {
  std::int64_t hosts = 1;   // of a leaf
  std::int64_t leaves = 1;  // of a group
  std::int64_t spines = 1;  // of a group
  std::int64_t global = 1;  // ports of a spine to other groups
  std::int64_t groups = 1;

  std::int64_t between() const { return groups < 2 ? 0 : spines * global / (groups - 1); }
};

class DragonflyPlus : public Fabric {
 public:
  DragonflyPlus(Shape shape, std::int64_t endpoints, std::int64_t ports)
      : s_(shape), endpoints_(endpoints), ports_(ports), farthest_(measured()) {}

  std::int64_t endpoints() const override { return endpoints_; }
  /// As many groups as a group has ports to others: those it has, or those that one group leaves free.
  std::int64_t largest() const override {
    return s_.hosts * s_.leaves * (s_.spines * std::min(s_.global, ports_ - s_.leaves) + 1);
  }
  std::int64_t tiers() const override { return 2; }
  std::int64_t host_links() const override { return 1; }
  NearestFailure nearest_failure() const override { return {ceil_div(endpoints_, s_.groups * s_.leaves), 1}; }

  FabricCounts counts() const override {
    FabricCounts out;
    const std::int64_t inside = s_.groups * s_.leaves * s_.spines;
    const std::int64_t global = s_.groups * (s_.groups - 1) / 2 * s_.between();
    out.tiers = {{"leaf", s_.groups * s_.leaves, endpoints_ + inside},
                 {"spine", s_.groups * s_.spines, inside + 2 * global}};
    out.links = {{"host to leaf", true, endpoints_},
                 {"leaf to spine", false, inside},
                 {"between groups", false, global}};
    out.bisection_links = bisection();
    out.diameter = 2 + farthest_.distance;
    out.paths = farthest_.paths;
    add_blast(out);
    return out;
  }

  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    const auto add = [&](const char* name, int tier, std::int64_t count) {
      return graph.add_nodes({NodeKind::electrical_switch, name, tier, place.network, place.plane,
                              place.datacenter, 0, 0, place.ports},
                             count);
    };
    const std::int64_t leaves = s_.groups * s_.leaves;
    const std::uint32_t leaf = add("leaf", 1, leaves);
    const std::uint32_t spine = add("spine", 2, s_.groups * s_.spines);
    graph.begin_links("host to leaf", place.rate);
    for (std::int64_t e = 0; e < endpoints_; ++e)
      graph.link(place.hosts[static_cast<std::size_t>(e)], leaf + at(share_of(endpoints_, leaves, e)));
    graph.begin_links("leaf to spine", place.rate);
    for (std::int64_t l = 0; l < leaves; ++l) {
      for (std::int64_t s = 0; s < s_.spines; ++s)
        graph.link(leaf + at(l), spine + at(l / s_.leaves * s_.spines + s));
    }
    graph.begin_links("between groups", place.rate);
    for (std::int64_t i = 0; i < s_.groups; ++i) {
      for (std::int64_t j = i + 1; j < s_.groups; ++j) {
        for (std::int64_t c = 0; c < s_.between(); ++c)
          graph.link(spine + at(global_spine(i, j, c)), spine + at(global_spine(j, i, c)));
      }
    }
  }

  void visit_cables(std::int64_t per_rack, std::int64_t most, const CableVisitor& visit) const override {
    visit_host_cables(endpoints_, s_.groups * s_.leaves, per_rack, most, visit);
    for (std::int64_t l = 0; l < s_.groups * s_.leaves; ++l)
      visit({1, hosts_of(l, l + 1), group_hosts(l / s_.leaves), static_cast<double>(s_.spines)});
    for (std::int64_t i = 0; i < s_.groups; ++i) {
      for (std::int64_t j = i + 1; j < s_.groups; ++j)
        visit({2, group_hosts(i), group_hosts(j), static_cast<double>(s_.between())});
    }
  }

 private:
  static std::uint32_t at(std::int64_t v) { return static_cast<std::uint32_t>(v); }
  EndpointRange hosts_of(std::int64_t from, std::int64_t to) const {
    const std::int64_t leaves = s_.groups * s_.leaves;
    return {share_begin(endpoints_, leaves, from), share_begin(endpoints_, leaves, to)};
  }
  EndpointRange group_hosts(std::int64_t group) const {
    return hosts_of(group * s_.leaves, (group + 1) * s_.leaves);
  }

  /// Spine, among all, of group i's c-th link to group j.
  std::int64_t global_spine(std::int64_t i, std::int64_t j, std::int64_t c) const {
    const std::int64_t slot = (j - i - 1 + s_.groups) % s_.groups * s_.between() + c;
    return i * s_.spines + slot / s_.global;
  }

  /// Leaves are numbered first, then spines; group by group.
  void neighbours(std::int64_t node, std::vector<std::int64_t>& out) const {
    const std::int64_t leaves = s_.groups * s_.leaves;
    if (node < leaves) {
      for (std::int64_t s = 0; s < s_.spines; ++s) out.push_back(leaves + node / s_.leaves * s_.spines + s);
      return;
    }
    const std::int64_t group = (node - leaves) / s_.spines;
    const std::int64_t index = (node - leaves) % s_.spines;
    for (std::int64_t l = 0; l < s_.leaves; ++l) out.push_back(group * s_.leaves + l);
    const std::size_t below = out.size();
    const std::int64_t slots = (s_.groups - 1) * s_.between();
    for (std::int64_t slot = index * s_.global; slot < std::min(slots, (index + 1) * s_.global); ++slot) {
      const std::int64_t to = (group + slot / s_.between() + 1) % s_.groups;
      out.push_back(leaves + global_spine(to, group, slot % s_.between()));
    }
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(below);
    std::sort(first, out.end());
    out.erase(std::unique(first, out.end()), out.end());
  }

  /// Leaf to leaf, from one leaf, since leaves look alike; of very large ones the bound and the links between
  /// two groups.
  Farthest measured() const {
    constexpr double kMostSteps = 3e7;
    const std::int64_t leaves = s_.groups * s_.leaves;
    const double steps = static_cast<double>(leaves + s_.groups * s_.spines) *
                         static_cast<double>(s_.spines + s_.leaves + s_.global);
    if (steps > kMostSteps) return {3, static_cast<double>(std::max<std::int64_t>(1, s_.between()))};
    return find_farthest(
        {leaves + s_.groups * s_.spines, [this](std::int64_t node, auto& out) { neighbours(node, out); },
         [leaves](std::int64_t node) { return node < leaves; }},
        {0});
  }

  double bisection() const {
    const double half = static_cast<double>(endpoints_) / 2;
    const auto up = static_cast<double>(s_.groups * s_.leaves * s_.spines);
    if (s_.groups == 1) return s_.leaves > 1 ? std::min(half, up / 2) : half;
    const std::int64_t low = s_.groups / 2;
    return std::min({half, up / 2, static_cast<double>(low * (s_.groups - low) * s_.between())});
  }

  void add_blast(FabricCounts& out) const {
    const auto p = static_cast<double>(ceil_div(endpoints_, s_.groups * s_.leaves));
    const EndpointRange first = group_hosts(0);  // none is larger
    const auto group = static_cast<double>(first.end - first.begin);
    out.blast.push_back(
        {"one leaf", p, 1, false, FailedPart::chip, static_cast<double>(s_.groups * s_.leaves)});
    out.blast.push_back({"one spine", group, 1 / static_cast<double>(s_.spines), true, FailedPart::chip,
                         static_cast<double>(s_.groups * s_.spines)});
    out.blast.push_back({"one uplink of a leaf", p, 1 / static_cast<double>(s_.spines), true,
                         FailedPart::switch_link, static_cast<double>(s_.groups * s_.leaves * s_.spines)});
    out.blast.push_back(
        {"one link of a host", 1, 1, false, FailedPart::host_link, static_cast<double>(endpoints_)});
  }

  Shape s_;
  std::int64_t endpoints_;
  std::int64_t ports_;
  Farthest farthest_;
};

std::int64_t leaf_ports(const Shape& s) { return s.hosts + s.spines; }
std::int64_t spine_ports(const Shape& s) { return s.leaves + (s.groups > 1 ? s.global : 0); }

/// Half of the ports down on both tiers; of the sizes that do, the one with the fewest switches; else the
/// largest that the ports allow.
Shape balanced(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  std::optional<Shape> best;
  Shape last;
  for (std::int64_t half = 1; half == 1 || 2 * half <= wanted.ports; ++half) {
    Shape s;
    s.hosts = input.hosts_per_switch.value_or(half);
    s.leaves = input.group_switches.value_or(half);
    s.spines = input.group_spines.value_or(s.leaves);
    s.global = input.global_ports.value_or(half);
    s.groups = ceil_div(wanted.endpoints, s.hosts * s.leaves);
    const bool fits = std::max(leaf_ports(s), spine_ports(s)) <= wanted.ports;
    if (half == 1 || fits) last = s;
    const bool does = fits && s.groups <= s.spines * s.global + 1 && s.groups * s.leaves <= wanted.endpoints;
    const auto switches = [](const Shape& x) { return x.groups * (x.leaves + x.spines); };
    if (does && (!best || switches(s) < switches(*best))) best = s;
  }
  return best.value_or(last);
}

std::unique_ptr<Fabric> make(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  const Shape s = balanced(wanted);
  if (std::max(leaf_ports(s), spine_ports(s)) > wanted.ports) {
    fail_design(
        input, leaf_ports(s) > wanted.ports ? "hosts_per_switch" : "global_ports",
        fmt::format(
            "a leaf needs {} ports ({} hosts, {} spines), a spine {} ({} leaves, {} to others), and a "
            "switch has {}",
            leaf_ports(s), s.hosts, s.spines, spine_ports(s), s.leaves, s.global, wanted.ports),
        "smaller groups, fewer hosts of a leaf, or a larger radix");
  }
  if (s.groups > 1 && s.groups > s.spines * s.global + 1) {
    fail_design(input, "global_ports",
                fmt::format("{} endpoints need {} groups of {} hosts, and a group has {} ports to others",
                            wanted.endpoints, s.groups, s.hosts * s.leaves, s.spines * s.global),
                "larger groups, more ports to others, more planes, or a larger radix");
  }
  if (s.groups * s.leaves > wanted.endpoints) {
    fail_design(input, "group_switches",
                fmt::format("{} leaves for {}: one would have no host", s.groups * s.leaves,
                            counted(wanted.endpoints, "endpoint")),
                "fewer leaves of a group");
  }
  return std::make_unique<DragonflyPlus>(s, wanted.endpoints, wanted.ports);
}

}  // namespace

namespace kinds {

const Topology& dragonfly_plus() {
  static const Topology topology = {
      .dealing = dealings::in_order(),
      .switches = SwitchType::packet,
      .joins_gateways = true,
      .counts_forwarding = false,
      .make = make,
      .outline = Outline::groups_of_trees,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

}  // namespace kinds

}  // namespace trainyard
