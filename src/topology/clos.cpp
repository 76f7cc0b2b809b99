#include "topology/clos.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "base/whole_numbers.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "trainyard/design_counts.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMostTiers = 12;

std::string tier_name(std::size_t tier, std::size_t top) {
  if (top == 0) return "switch";
  if (tier == 0) return "leaf";
  if (tier == top) return top == 1 ? "spine" : "core";
  return top == 2 ? "aggregation" : fmt::format("aggregation {}", tier);
}

std::string article(const std::string& name) { return (name.front() == 'a' ? "an " : "a ") + name; }

class Clos : public Fabric {
 public:
  Clos(ClosShape shape, std::int64_t largest) : shape_(std::move(shape)), largest_(largest) {}

  std::int64_t endpoints() const override { return shape_.endpoints; }
  std::int64_t largest() const override { return largest_; }
  std::int64_t tiers() const override { return static_cast<std::int64_t>(shape_.tiers.size()); }
  const ClosShape* clos() const override { return &shape_; }
  std::int64_t host_links() const override { return 1; }
  NearestFailure nearest_failure() const override {
    return {ceil_div(shape_.endpoints, shape_.switches(0)), 1};
  }

  FabricCounts counts() const override {
    FabricCounts out;
    const std::size_t top = shape_.top();
    std::int64_t below = shape_.endpoints;  // links to the tier below
    double half = static_cast<double>(shape_.endpoints) / 2;
    out.paths = 1;
    for (std::size_t t = 0; t <= top; ++t) {
      const std::int64_t up = shape_.links_up(t);
      out.tiers.push_back({tier_name(t, top), shape_.switches(t), below + up});
      out.links.push_back(
          {t == 0 ? "host to " + tier_name(0, top) : tier_name(t - 1, top) + " to " + tier_name(t, top),
           t == 0, below});
      if (t < top) half = std::min(half, static_cast<double>(up) / 2);
      out.paths *= static_cast<double>(shape_.tiers[t].group);
      below = up;
    }
    out.bisection_exact = top == 0 || (top == 1 && shape_.even());
    out.bisection_links = top == 1 && out.bisection_exact ? least_of_two_tiers() : half;
    out.diameter = 2 * static_cast<std::int64_t>(shape_.tiers.size());
    add_blast(out);
    return out;
  }

  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    const std::size_t top = shape_.top();
    std::vector<std::uint32_t> first;
    for (std::size_t t = 0; t <= top; ++t) {
      first.push_back(
          graph.add_nodes({NodeKind::electrical_switch, tier_name(t, top), static_cast<int>(t) + 1,
                           place.network, place.plane, place.datacenter, 0, 0, place.ports},
                          shape_.switches(t)));
    }
    graph.begin_links("host to " + tier_name(0, top), place.rate);
    for (std::int64_t leaf = 0; leaf < shape_.leaves(); ++leaf) {
      const EndpointRange of_leaf = endpoints_of(0, leaf);
      for (std::int64_t e = of_leaf.begin; e < of_leaf.end; ++e)
        graph.link(place.hosts[index(e)], first[0] + static_cast<std::uint32_t>(leaf));
    }
    for (std::size_t t = 1; t <= top; ++t) {
      graph.begin_links(tier_name(t - 1, top) + " to " + tier_name(t, top), place.rate);
      link_tier(graph, t, first[t - 1], first[t]);
    }
  }

  void visit_cables(std::int64_t per_rack, std::int64_t most, const CableVisitor& visit) const override {
    visit_host_cables(shape_.endpoints, shape_.leaves(), per_rack, most, visit);
    for (std::size_t t = 1; t <= shape_.top(); ++t) {
      const std::int64_t blocks = shape_.blocks(t - 1);
      const std::int64_t step = most > 0 ? ceil_div(blocks, most) : 1;
      const std::int64_t shown = (blocks - step / 2 + step - 1) / step;
      const double links = static_cast<double>(shape_.links_up(t - 1)) / static_cast<double>(shown);
      for (std::int64_t block = step / 2; block < blocks; block += step)
        visit({t, endpoints_of(t - 1, block), endpoints_of(t, block / shape_.tiers[t].children), links});
    }
  }

 private:
  /// Leaves stand on one side or the other; a spine takes the side of the most of them, and hosts that make
  /// the halves uneven stand apart from their leaf. What is cut is linear in the leaves of a side between the
  /// counts that are tried.
  double least_of_two_tiers() const {
    const std::int64_t hosts = shape_.endpoints;
    const std::int64_t leaves = shape_.leaves();
    const std::int64_t large = hosts % leaves;  // leaves with a host more
    const std::int64_t middle = leaves / 2;
    double least = static_cast<double>(hosts) / 2;
    for (const std::int64_t few : {std::min(large, middle), middle - 1, middle}) {
      if (few < 1) continue;
      const std::int64_t inside = few * (hosts / leaves) + std::min(few, large);
      const std::int64_t apart = std::max<std::int64_t>(0, hosts / 2 - inside);
      least = std::min(least, static_cast<double>(few * shape_.tiers[0].uplinks + apart));
    }
    return least;
  }

  /// Child c's i-th link goes to switch (c u + i) mod S of its position's group.
  void link_tier(GraphBuilder& graph, std::size_t t, std::uint32_t below, std::uint32_t above) const {
    const ClosTier& tier = shape_.tiers[t];
    const std::int64_t width_below = shape_.width(t - 1);
    const std::int64_t uplinks = shape_.tiers[t - 1].uplinks;
    const std::int64_t switches = shape_.switches(t - 1);
    for (std::int64_t s = 0; s < switches; ++s) {
      const std::int64_t block = s / width_below / tier.children;
      const std::int64_t child = s / width_below % tier.children;
      const std::int64_t group = (block * width_below + s % width_below) * tier.group;
      const auto from = below + static_cast<std::uint32_t>(s);
      for (std::int64_t done = 0; done < uplinks;) {
        const std::int64_t to = (child * uplinks + done) % tier.group;
        const std::int64_t now = std::min(uplinks - done, tier.group - to);
        graph.link_row(from, above + static_cast<std::uint32_t>(group + to), static_cast<std::uint32_t>(now));
        done += now;
      }
    }
  }

  EndpointRange endpoints_of(std::size_t tier, std::int64_t block) const {
    const std::int64_t leaves = shape_.leaves() / shape_.blocks(tier);
    return {share_begin(shape_.endpoints, shape_.leaves(), block * leaves),
            share_begin(shape_.endpoints, shape_.leaves(), (block + 1) * leaves)};
  }

  void add_blast(FabricCounts& out) const {
    const std::size_t top = shape_.top();
    double share = 1;  // of the worst hit leaf's links that lead to one switch of the tier
    for (std::size_t t = 0; t <= top; ++t) {
      if (t > 0) {
        // Dealt in turn, a switch's links reach some of the group above once more than others.
        const std::int64_t uplinks = shape_.tiers[t - 1].uplinks;
        share *= static_cast<double>(ceil_div(uplinks, shape_.tiers[t].group)) / static_cast<double>(uplinks);
      }
      const EndpointRange block = endpoints_of(t, 0);  // none is larger
      const auto in_block = static_cast<double>(block.end - block.begin);
      out.blast.push_back({"one " + tier_name(t, top), in_block, share, t > 0, FailedPart::chip,
                           static_cast<double>(shape_.switches(t))});
      if (t == top) break;
      out.blast.push_back({"one uplink of " + article(tier_name(t, top)), in_block,
                           share / static_cast<double>(shape_.tiers[t].uplinks), true,
                           FailedPart::switch_link,
                           static_cast<double>(shape_.switches(t) * shape_.tiers[t].uplinks)});
    }
    out.blast.push_back(
        {"one link of a host", 1, 1, false, FailedPart::host_link, static_cast<double>(shape_.endpoints)});
  }

  ClosShape shape_;
  std::int64_t largest_;
};

std::int64_t wanted_tiers(const FabricCase& wanted, const ClosParts& parts) {
  const DesignInput& input = *wanted.input;
  if (input.tiers) return *input.tiers;
  const auto boundaries = static_cast<std::int64_t>(input.oversubscription.size());
  const auto tiers = fewest_tiers(parts, wanted.endpoints, kMostTiers);
  if (!tiers) {
    fail_design(
        input, "radix",
        fmt::format("{} {} not fit in {} tiers of switches with {}", counted(wanted.endpoints, "endpoint"),
                    agreeing(wanted.endpoints, "does", "do"), kMostTiers, counted(wanted.ports, "port")),
        "more ports, more planes or rails, or less oversubscription");
  }
  return std::max(*tiers, boundaries + 1);
}

/// `key`: of [[design]], which the complaint names when the endpoints do not fit.
std::unique_ptr<Fabric> clos_of_tiers(const FabricCase& wanted, const ClosParts& parts, std::int64_t tiers,
                                      const char* key) {
  const DesignInput& input = *wanted.input;
  if (static_cast<std::int64_t>(input.oversubscription.size()) > tiers - 1) {
    fail_design(
        input, "oversubscription",
        fmt::format("{} for {}", counted(input.oversubscription.size(), "value"), counted(tiers, "tier")),
        fmt::format("allowed: at most {}, one for each tier below the top", tiers - 1));
  }
  const std::int64_t largest = largest_clos(parts, tiers);
  auto shape = best_clos_shape(parts, tiers, wanted.endpoints);
  if (!shape && largest < wanted.endpoints) {
    const auto enough = fewest_tiers(parts, wanted.endpoints, kMostTiers);
    fail_design(
        input, key,
        fmt::format("{} of a network {} not fit in {} of switches with {}: at most {}",
                    counted(wanted.endpoints, "endpoint"), agreeing(wanted.endpoints, "does", "do"),
                    counted(tiers, "tier"), counted(wanted.ports, "port"), largest),
        enough ? fmt::format("{} tiers hold them", *enough)
               : fmt::format("more than {} tiers would be needed: more ports, planes or rails", kMostTiers));
  }
  if (!shape) {
    fail_design(
        input, "tiers",
        fmt::format("{} {} too few for {}: a leaf would have no host", counted(wanted.endpoints, "endpoint"),
                    agreeing(wanted.endpoints, "is", "are"), counted(tiers, "tier")),
        "fewer tiers");
  }
  return std::make_unique<Clos>(std::move(*shape), largest);
}

ClosParts parts_of(const FabricCase& wanted) { return {wanted.ports, wanted.input->oversubscription}; }

}  // namespace

std::unique_ptr<Fabric> make_clos(const FabricCase& wanted) {
  const ClosParts parts = parts_of(wanted);
  return clos_of_tiers(wanted, parts, wanted_tiers(wanted, parts), "tiers");
}

std::unique_ptr<Fabric> make_single_tier(const FabricCase& wanted) {
  return clos_of_tiers(wanted, parts_of(wanted), 1, "hosts");
}

}  // namespace trainyard
