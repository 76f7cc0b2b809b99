// Dragonfly (Kim et al. 2008): groups of switches, all joined inside a group; every pair of groups is joined
// by the same number of links.
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
  std::int64_t hosts = 1;     // p: of a switch
  std::int64_t switches = 1;  // a: of a group
  std::int64_t global = 1;    // h: of a switch
  std::int64_t groups = 1;    // g

  /// Links between two groups.
  std::int64_t between() const { return groups < 2 ? 0 : switches * global / (groups - 1); }
};

class Dragonfly : public Fabric {
 public:
  Dragonfly(Shape shape, std::int64_t endpoints, std::int64_t ports)
      : s_(shape), endpoints_(endpoints), ports_(ports), farthest_(measured()) {}

  std::int64_t endpoints() const override { return endpoints_; }
  /// As many groups as a group has ports to others: those it has, or those that one group leaves free.
  std::int64_t largest() const override {
    const std::int64_t left = ports_ - s_.hosts - (s_.switches - 1);
    return s_.hosts * s_.switches * (s_.switches * std::min(s_.global, left) + 1);
  }
  std::int64_t tiers() const override { return 1; }
  std::int64_t host_links() const override { return 1; }
  NearestFailure nearest_failure() const override {
    return {ceil_div(endpoints_, s_.groups * s_.switches), 1};
  }

  FabricCounts counts() const override {
    FabricCounts out;
    const std::int64_t local = s_.groups * s_.switches * (s_.switches - 1) / 2;
    const std::int64_t global = s_.groups * (s_.groups - 1) / 2 * s_.between();
    out.tiers = {{"switch", s_.groups * s_.switches, endpoints_ + 2 * local + 2 * global}};
    out.links = {{"host to switch", true, endpoints_},
                 {"inside a group", false, local},
                 {"between groups", false, global}};
    out.bisection_links = bisection();
    out.diameter = 2 + farthest_.distance;
    out.paths = farthest_.paths;
    add_blast(out);
    return out;
  }

  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    const std::int64_t all = s_.groups * s_.switches;
    const std::uint32_t first = graph.add_nodes({NodeKind::electrical_switch, "switch", 1, place.network,
                                                 place.plane, place.datacenter, 0, 0, place.ports},
                                                all);
    graph.begin_links("host to switch", place.rate);
    for (std::int64_t e = 0; e < endpoints_; ++e) {
      graph.link(place.hosts[static_cast<std::size_t>(e)],
                 first + static_cast<std::uint32_t>(share_of(endpoints_, all, e)));
    }
    graph.begin_links("inside a group", place.rate);
    for (std::int64_t group = 0; group < s_.groups; ++group) {
      for (std::int64_t a = 0; a < s_.switches; ++a) {
        for (std::int64_t b = a + 1; b < s_.switches; ++b)
          graph.link(node(first, group, a), node(first, group, b));
      }
    }
    graph.begin_links("between groups", place.rate);
    for (std::int64_t i = 0; i < s_.groups; ++i) {
      for (std::int64_t j = i + 1; j < s_.groups; ++j) {
        for (std::int64_t c = 0; c < s_.between(); ++c)
          graph.link(node(first, i, global_switch(i, j, c)), node(first, j, global_switch(j, i, c)));
      }
    }
  }

  void visit_cables(std::int64_t per_rack, std::int64_t most, const CableVisitor& visit) const override {
    const std::int64_t all = s_.groups * s_.switches;
    visit_host_cables(endpoints_, all, per_rack, most, visit);
    for (std::int64_t group = 0; group < s_.groups; ++group) {
      for (std::int64_t a = 0; a < s_.switches; ++a) {
        for (std::int64_t b = a + 1; b < s_.switches; ++b)
          visit({1, hosts_of(group * s_.switches + a, all), hosts_of(group * s_.switches + b, all), 1});
      }
    }
    for (std::int64_t i = 0; i < s_.groups; ++i) {
      for (std::int64_t j = i + 1; j < s_.groups; ++j)
        visit({2, hosts_of(i, s_.groups), hosts_of(j, s_.groups), static_cast<double>(s_.between())});
    }
  }

 private:
  static std::uint32_t at(std::int64_t v) { return static_cast<std::uint32_t>(v); }
  std::uint32_t node(std::uint32_t first, std::int64_t group, std::int64_t index) const {
    return first + at(group * s_.switches + index);
  }
  EndpointRange hosts_of(std::int64_t part, std::int64_t parts) const {
    const std::int64_t all = s_.groups * s_.switches;
    return {share_begin(endpoints_, all, part * (all / parts)),
            share_begin(endpoints_, all, (part + 1) * (all / parts))};
  }

  /// Which switch of group i holds its c-th link to group j: slots in turn, so that groups look alike.
  std::int64_t global_switch(std::int64_t i, std::int64_t j, std::int64_t c) const {
    const std::int64_t slot = (j - i - 1 + s_.groups) % s_.groups * s_.between() + c;
    return slot / s_.global;
  }

  /// Switches joined to a switch, each once.
  void neighbours(std::int64_t node, std::vector<std::int64_t>& out) const {
    const std::int64_t group = node / s_.switches;
    const std::int64_t index = node % s_.switches;
    for (std::int64_t other = 0; other < s_.switches; ++other) {
      if (other != index) out.push_back(group * s_.switches + other);
    }
    const std::int64_t slots = (s_.groups - 1) * s_.between();
    const std::size_t local = out.size();
    for (std::int64_t slot = index * s_.global; slot < std::min(slots, (index + 1) * s_.global); ++slot) {
      const std::int64_t to = (group + slot / s_.between() + 1) % s_.groups;
      out.push_back(to * s_.switches + global_switch(to, group, slot % s_.between()));
    }
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(local);
    std::sort(first, out.end());
    out.erase(std::unique(first, out.end()), out.end());
  }

  /// From the switches of one group, since groups look alike; of very large ones the bound of three switch
  /// hops and the links between two groups.
  Farthest measured() const {
    constexpr double kMostSteps = 3e7;
    const double steps = static_cast<double>(s_.switches) * static_cast<double>(s_.switches * s_.groups) *
                         static_cast<double>(s_.switches + s_.global);
    if (steps > kMostSteps) return {3, static_cast<double>(std::max<std::int64_t>(1, s_.between()))};
    std::vector<std::int64_t> sources(static_cast<std::size_t>(s_.switches));
    std::iota(sources.begin(), sources.end(), 0);
    return find_farthest(
        {s_.switches * s_.groups, [this](std::int64_t node, auto& out) { neighbours(node, out); },
         [](std::int64_t) { return true; }},
        sources);
  }

  /// The smaller of two cuts: between halves of the groups, and through the middle of every group.
  double bisection() const {
    const double half = static_cast<double>(endpoints_) / 2;
    const std::int64_t low = s_.switches / 2;
    double through = static_cast<double>(s_.groups * low * (s_.switches - low));
    if (s_.groups < 2) return s_.switches > 1 ? std::min(half, through) : half;
    for (std::int64_t other = 1; other < s_.groups; ++other) {
      std::int64_t crossing = 0;
      for (std::int64_t c = 0; c < s_.between(); ++c)
        crossing += (global_switch(0, other, c) < low) != (global_switch(other, 0, c) < low) ? 1 : 0;
      through += static_cast<double>(crossing * s_.groups) / 2;
    }
    const std::int64_t few = s_.groups / 2;
    const double between = static_cast<double>(few * (s_.groups - few) * s_.between());
    const bool even = s_.switches % 2 == 0;
    return std::min({half, between, even ? through : between});
  }

  void add_blast(FabricCounts& out) const {
    const auto p = static_cast<double>(ceil_div(endpoints_, s_.groups * s_.switches));
    const auto switches = static_cast<double>(s_.groups * s_.switches);
    out.blast.push_back({"one switch", p, 1, false, FailedPart::chip, switches});
    if (s_.groups > 1) {
      const EndpointRange first = hosts_of(0, s_.groups);  // none is larger
      out.blast.push_back({"one link between groups", static_cast<double>(first.end - first.begin),
                           1 / static_cast<double>(s_.between() * (s_.groups - 1)), true,
                           FailedPart::switch_link,
                           static_cast<double>(s_.between() * s_.groups * (s_.groups - 1)) / 2});
    }
    out.blast.push_back(
        {"one link of a host", 1, 1, false, FailedPart::host_link, static_cast<double>(endpoints_)});
  }

  Shape s_;
  std::int64_t endpoints_;
  std::int64_t ports_;
  Farthest farthest_;
};

std::int64_t ports_needed(const Shape& s) { return s.hosts + s.switches - 1 + (s.groups > 1 ? s.global : 0); }

/// a = 2p = 2h (Kim et al. 2008, section 3.1); of the sizes that do, the one with the fewest switches; else
/// the largest that the ports allow.
Shape balanced(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  std::optional<Shape> best;
  Shape last;
  for (std::int64_t p = 1; p == 1 || 4 * p <= wanted.ports + 1; ++p) {
    Shape s;
    s.hosts = input.hosts_per_switch.value_or(p);
    s.switches = input.group_switches.value_or(2 * p);
    s.global = input.global_ports.value_or(p);
    s.groups = ceil_div(wanted.endpoints, s.hosts * s.switches);
    if (p == 1 || ports_needed(s) <= wanted.ports) last = s;
    const bool does = ports_needed(s) <= wanted.ports && s.groups <= s.switches * s.global + 1 &&
                      s.groups * s.switches <= wanted.endpoints;
    if (does && (!best || s.groups * s.switches < best->groups * best->switches)) best = s;
  }
  return best.value_or(last);
}

std::unique_ptr<Fabric> make(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  const Shape s = balanced(wanted);
  const std::int64_t ports = ports_needed(s);
  if (ports > wanted.ports) {
    fail_design(input, "hosts_per_switch",
                fmt::format("a switch needs {} ports ({} hosts, {} in its group, {} to others) and has {}",
                            ports, s.hosts, s.switches - 1, s.global, wanted.ports),
                "fewer hosts of a switch, smaller groups, or a larger radix");
  }
  if (s.groups > 1 && s.groups > s.switches * s.global + 1) {
    fail_design(input, "global_ports",
                fmt::format("{} endpoints need {} groups of {} hosts, and a group has {} ports to others",
                            wanted.endpoints, s.groups, s.hosts * s.switches, s.switches * s.global),
                "larger groups, more ports to others, more planes, or a larger radix");
  }
  if (s.groups * s.switches > wanted.endpoints) {
    fail_design(input, "group_switches",
                fmt::format("{} switches for {}: one would have no host", s.groups * s.switches,
                            counted(wanted.endpoints, "endpoint")),
                "fewer switches of a group");
  }
  return std::make_unique<Dragonfly>(s, wanted.endpoints, wanted.ports);
}

}  // namespace

namespace kinds {

const Topology& dragonfly() {
  static const Topology topology = {
      .dealing = dealings::in_order(),
      .switches = SwitchType::packet,
      .joins_gateways = true,
      .counts_forwarding = false,
      .make = make,
      .outline = Outline::groups,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

}  // namespace kinds

}  // namespace trainyard
