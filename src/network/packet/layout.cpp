#include "network/packet/layout.h"

#include <fmt/core.h>

namespace trainyard::packet {
namespace {

constexpr std::size_t kMostTiers = 3;

std::uint32_t narrow(std::int64_t v) { return static_cast<std::uint32_t>(v); }
std::uint16_t port_number(std::int64_t v) { return static_cast<std::uint16_t>(v); }

/// Builds a layout tier by tier with the wiring of ClosShape (topology/clos_shape.h).
class Builder {
 public:
  explicit Builder(const ClosShape& shape) : shape_(shape) {}

  Layout build() {
    out_.leaves = narrow(shape_.leaves());
    out_.tiers = narrow(static_cast<std::int64_t>(shape_.tiers.size()));
    if (shape_.top() >= 1) out_.uplinks_leaf = narrow(shape_.tiers[0].uplinks);
    if (shape_.top() >= 2) out_.uplinks_aggregation = narrow(shape_.tiers[1].uplinks);
    place_hosts();
    for (std::size_t t = 0; t <= shape_.top(); ++t) {
      out_.children.push_back(narrow(shape_.tiers[t].children));
      std::vector<std::uint32_t> blocks;
      for (std::int64_t leaf = 0; leaf < shape_.leaves(); ++leaf)
        blocks.push_back(narrow(shape_.block_of_leaf(t, leaf)));
      out_.block_of_leaf.push_back(std::move(blocks));
      if (t == shape_.top()) continue;
      std::vector<std::uint16_t> copies;
      for (std::int64_t i = 0; i < shape_.tiers[t].uplinks; ++i)
        copies.push_back(port_number(i / shape_.tiers[t + 1].group));
      out_.copy_of_uplink.push_back(std::move(copies));
    }
    add_nodes();
    wire_hosts();
    for (std::size_t t = 1; t <= shape_.top(); ++t) wire_tier(t);
    return std::move(out_);
  }

 private:
  void place_hosts() {
    for (std::int64_t leaf = 0; leaf < shape_.leaves(); ++leaf) {
      const std::int64_t begin = share_begin(shape_.endpoints, shape_.leaves(), leaf);
      const std::int64_t end = share_begin(shape_.endpoints, shape_.leaves(), leaf + 1);
      for (std::int64_t host = begin; host < end; ++host) {
        out_.leaf_of_host.push_back(narrow(leaf));
        out_.index_of_host.push_back(port_number(host - begin));
      }
      hosts_of_leaf_.push_back(end - begin);
    }
  }

  void add_node(bool hosts, std::size_t tier, std::int64_t block, std::int64_t down, std::int64_t up) {
    Node node;
    node.hosts = hosts;
    node.tier = static_cast<std::uint8_t>(tier);
    node.block = narrow(block);
    node.first_port = narrow(static_cast<std::int64_t>(out_.wires.size()));
    node.ports_down = narrow(down);
    node.ports = narrow(down + up);
    out_.wires.resize(out_.wires.size() + static_cast<std::size_t>(down + up));
    out_.nodes.push_back(node);
  }

  void add_nodes() {
    for (const std::int64_t hosts : hosts_of_leaf_) add_node(true, 0, 0, hosts, 0);
    for (std::size_t t = 0; t <= shape_.top(); ++t) {
      first_node_.push_back(static_cast<std::int64_t>(out_.nodes.size()));
      for (std::int64_t s = 0; s < shape_.switches(t); ++s) {
        const std::int64_t block = s / shape_.width(t);
        const std::int64_t down = t == 0 ? hosts_of_leaf_[static_cast<std::size_t>(s)] : links_down(t, s);
        add_node(false, t, block, down, shape_.tiers[t].uplinks);
      }
    }
  }

  /// Of the links l of its position, a switch takes those with l mod S equal to its place in the group.
  std::int64_t links_down(std::size_t t, std::int64_t s) const {
    const ClosTier& tier = shape_.tiers[t];
    const std::int64_t links = tier.children * shape_.tiers[t - 1].uplinks;
    const std::int64_t place = s % tier.group;
    return (links - place + tier.group - 1) / tier.group;
  }

  void join(std::int64_t a, std::int64_t a_port, std::int64_t b, std::int64_t b_port) {
    wire(a, a_port) = {narrow(b), port_number(b_port)};
    wire(b, b_port) = {narrow(a), port_number(a_port)};
  }
  Wire& wire(std::int64_t node, std::int64_t port) {
    return out_.wires[out_.nodes[static_cast<std::size_t>(node)].first_port + static_cast<std::size_t>(port)];
  }

  void wire_hosts() {
    for (std::int64_t leaf = 0; leaf < shape_.leaves(); ++leaf) {
      for (std::int64_t h = 0; h < hosts_of_leaf_[static_cast<std::size_t>(leaf)]; ++h)
        join(leaf, h, first_node_[0] + leaf, h);
    }
  }

  void wire_tier(std::size_t t) {
    const ClosTier& tier = shape_.tiers[t];
    const std::int64_t width_below = shape_.width(t - 1);
    const std::int64_t uplinks = shape_.tiers[t - 1].uplinks;
    for (std::int64_t s = 0; s < shape_.switches(t - 1); ++s) {
      const std::int64_t child = s / width_below % tier.children;
      const std::int64_t block = s / width_below / tier.children;
      const std::int64_t group = (block * width_below + s % width_below) * tier.group;
      const std::int64_t below = first_node_[t - 1] + s;
      const std::int64_t below_down = out_.nodes[static_cast<std::size_t>(below)].ports_down;
      for (std::int64_t i = 0; i < uplinks; ++i) {
        const std::int64_t link = child * uplinks + i;
        join(below, below_down + i, first_node_[t] + group + link % tier.group, link / tier.group);
      }
    }
    for (std::int64_t s = 0; s < shape_.switches(t); ++s) add_ways_down(t, s);
  }

  void add_ways_down(std::size_t t, std::int64_t s) {
    const ClosTier& tier = shape_.tiers[t];
    const std::int64_t uplinks = shape_.tiers[t - 1].uplinks;
    const std::int64_t place = s % tier.group;
    out_.nodes[static_cast<std::size_t>(first_node_[t] + s)].first_child =
        narrow(static_cast<std::int64_t>(out_.ways_down.size()));
    const auto first_at = [&](std::int64_t link) {  // the first port whose link is not before this one
      return link <= place ? 0 : (link - place + tier.group - 1) / tier.group;
    };
    for (std::int64_t child = 0; child < tier.children; ++child) {
      const std::int64_t first = first_at(child * uplinks);
      out_.ways_down.push_back({port_number(first), port_number(first_at((child + 1) * uplinks) - first)});
    }
  }

  const ClosShape& shape_;
  Layout out_;
  std::vector<std::int64_t> hosts_of_leaf_;
  std::vector<std::int64_t> first_node_;  // of each tier
};

}  // namespace

Layout lay_out(const NetworkDesign& design) {
  const ClosShape* shape = design.fabric->clos();
  if (!shape) {
    fail_design(design.input, "topology", "packets are simulated on folded Clos networks",
                "allowed: fat_tree, rail_optimized, rail_only, scale_up");
  }
  if (shape->tiers.size() > kMostTiers) {
    fail_design(design.input, "tiers", fmt::format("{} tiers", shape->tiers.size()),
                fmt::format("packets are simulated on at most {}", kMostTiers));
  }
  return Builder(*shape).build();
}

}  // namespace trainyard::packet
