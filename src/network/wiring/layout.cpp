#include "network/wiring/layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "trainyard/errors.h"

namespace trainyard::wiring {
namespace {

constexpr std::int64_t kMostPorts = 65535;
constexpr const char* kTooLarge =
    "packets are simulated with at most 4,095 hosts at a leaf, 65,535 ports and 1M leaves";

std::uint32_t narrow(std::int64_t v) { return static_cast<std::uint32_t>(v); }
std::uint16_t port_number(std::int64_t v) { return static_cast<std::uint16_t>(v); }

/// Builds a layout tier by tier with the wiring of ClosShape (topology/clos_shape.h).
class Builder {
 public:
  Builder(const ClosShape& shape, std::uint32_t planes) : shape_(shape) { out_.planes = planes; }

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
    reserve_wires();
    for (const std::int64_t hosts : hosts_of_leaf_) add_node(true, 0, 0, hosts * out_.planes, 0);
    for (plane_ = 0; plane_ < out_.planes; ++plane_) {
      add_switches();
      wire_hosts();
      for (std::size_t t = 1; t <= shape_.top(); ++t) wire_tier(t);
    }
    return std::move(out_);
  }

 private:
  void place_hosts() {
    out_.address_of_host.reserve(static_cast<std::size_t>(shape_.endpoints));
    for (std::int64_t leaf = 0; leaf < shape_.leaves(); ++leaf) {
      const std::int64_t begin = share_begin(shape_.endpoints, shape_.leaves(), leaf);
      const std::int64_t end = share_begin(shape_.endpoints, shape_.leaves(), leaf + 1);
      out_.first_host.push_back(narrow(begin));
      for (std::int64_t host = begin; host < end; ++host)
        out_.address_of_host.push_back(address(narrow(leaf), narrow(host - begin)));
      hosts_of_leaf_.push_back(end - begin);
    }
    out_.first_host.push_back(narrow(shape_.endpoints));
  }

  /// Both ends of every link: memory that doubles is gone through twice.
  void reserve_wires() {
    std::int64_t links = shape_.endpoints;
    for (std::size_t t = 0; t < shape_.top(); ++t) links += shape_.links_up(t);
    out_.wires.reserve(static_cast<std::size_t>(2 * links) * out_.planes);
  }
  void add_node(bool hosts, std::size_t tier, std::int64_t block, std::int64_t down, std::int64_t up) {
    Node node;
    node.hosts = hosts;
    node.tier = static_cast<std::uint8_t>(tier);
    node.plane = static_cast<std::uint16_t>(plane_);
    node.block = narrow(block);
    node.first_port = narrow(static_cast<std::int64_t>(out_.wires.size()));
    node.ports_down = narrow(down);
    node.ports = narrow(down + up);
    out_.wires.resize(out_.wires.size() + static_cast<std::size_t>(down + up));
    out_.nodes.push_back(node);
  }

  void add_switches() {
    first_node_.clear();
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

  void join(std::int64_t a, std::int64_t a_port, std::int64_t b, std::int64_t b_port, std::size_t link) {
    wire(a, a_port) = {narrow(b), port_number(b_port), static_cast<std::uint16_t>(link)};
    wire(b, b_port) = {narrow(a), port_number(a_port), static_cast<std::uint16_t>(link)};
  }
  Wire& wire(std::int64_t node, std::int64_t port) {
    return out_.wires[out_.nodes[static_cast<std::size_t>(node)].first_port + static_cast<std::size_t>(port)];
  }

  void wire_hosts() {
    for (std::int64_t leaf = 0; leaf < shape_.leaves(); ++leaf) {
      for (std::int64_t h = 0; h < hosts_of_leaf_[static_cast<std::size_t>(leaf)]; ++h)
        join(leaf, h * out_.planes + plane_, first_node_[0] + leaf, h, 0);
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
        join(below, below_down + i, first_node_[t] + group + link % tier.group, link / tier.group, t);
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
  std::uint32_t plane_ = 0;
  std::vector<std::int64_t> hosts_of_leaf_;
  std::vector<std::int64_t> first_node_;  // of each tier of the plane
};

}  // namespace

Layout lay_out(const ClosShape& shape, std::uint32_t planes, const std::vector<LinkRules>& links,
               const Location& where) {
  const std::int64_t hosts_of_leaf = (shape.endpoints + shape.leaves() - 1) / shape.leaves();
  if (hosts_of_leaf >= std::int64_t{1} << kHostBits || hosts_of_leaf * planes > kMostPorts)
    fail_input(where, fmt::format("{} hosts at a leaf in {} planes", hosts_of_leaf, planes), kTooLarge);
  if (shape.leaves() >= std::int64_t{1} << (32U - kHostBits))
    fail_input(where, fmt::format("{} leaves", shape.leaves()), kTooLarge);
  for (const ClosTier& tier : shape.tiers) {
    if (tier.down + tier.uplinks > kMostPorts)
      fail_input(where, fmt::format("switches of {} ports", tier.down + tier.uplinks), kTooLarge);
  }
  Layout out = Builder(shape, planes).build();
  out.links = links;
  out.links.resize(out.tiers, links.back());
  return out;
}

Picoseconds Layout::shortest_delay() const {
  Picoseconds least = kNever;
  for (const LinkRules& link : links) least = std::min(least, link.delay);
  return least;
}

bool Layout::links_differ() const {
  const auto differs = [&](const LinkRules& link) {
    return link.delay != links[1].delay || link.picoseconds_per_byte != links[1].picoseconds_per_byte;
  };
  return wired_links() > 2 &&
         std::any_of(links.begin() + 2, links.begin() + static_cast<std::ptrdiff_t>(wired_links()), differs);
}

LinkRules Layout::worst_link() const {
  LinkRules out = links[1];
  for (std::size_t l = 2; l < wired_links(); ++l) {
    out.delay = std::max(out.delay, links[l].delay);
    out.picoseconds_per_byte = std::max(out.picoseconds_per_byte, links[l].picoseconds_per_byte);
  }
  return out;
}

Picoseconds Layout::longest_delay() const {
  Picoseconds most = 0;
  for (const LinkRules& link : links) most = std::max(most, link.delay);
  return most;
}

Picoseconds Layout::longest_time(std::uint32_t bytes) const {
  Picoseconds most = 1;
  for (std::size_t link = 0; link < wired_links(); ++link) most = std::max(most, links[link].time(bytes));
  return most;
}

std::uint32_t Layout::meeting_tier(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t a = leaf_of(address_of_host[from]);
  const std::uint32_t b = leaf_of(address_of_host[to]);
  std::uint32_t tier = 0;
  while (block_of_leaf[tier][a] != block_of_leaf[tier][b]) ++tier;
  return tier;
}

Reach Layout::reach(std::uint32_t from, std::uint32_t to) const {
  if (routes.empty()) return {2 * meeting_tier(from, to), 1};
  const std::uint32_t a = leaf_of(address_of_host[from]);
  const std::uint32_t b = leaf_of(address_of_host[to]);
  const std::uint32_t hops = routes.hops(a, b);
  if (!devices.empty()) return {hops, 1, from, to};
  if (hops == 0) return {};
  return {hops, static_cast<std::uint32_t>(std::min(routes.ports(a, b).size(), routes.ports(b, a).size())),
          from, to};
}

Reach Layout::longest_reach() const {
  if (!devices.empty()) return devices.longest;
  if (routes.empty()) return {2 * (tiers - 1), 1};
  return {routes.diameter(), 1};
}

ByteTime Layout::slowest_byte(std::uint32_t from, std::uint32_t to) const {
  ByteTime out = host_link(from).picoseconds_per_byte;
  if (devices.empty()) return out;
  visit_way({0, 1, from, to},
            [&](const LinkRules& link, std::uint32_t) { out = std::max(out, link.picoseconds_per_byte); });
  return out;
}

std::uint32_t Layout::sending_host(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t own = routes.switch_of_leaf(from);
  const std::uint32_t port = nodes[leaves + own].first_port + routes.first_port(own, to);
  return 2 * from + (devices.is_domain[nodes[wires[port].node].block] != 0 ? 1 : 0);
}

std::uint32_t Layout::receiving_host(std::uint32_t from, std::uint32_t to) const {
  bool by_domain = false;
  walk(2 * from, 2 * to, [&](std::uint32_t at, std::uint32_t) { by_domain = devices.is_domain[at] != 0; });
  return 2 * to + (by_domain ? 1 : 0);
}

std::size_t run_of(const Layout& layout, std::uint32_t number) {
  const auto& runs = layout.switch_runs;
  const auto after =
      std::find_if(runs.begin(), runs.end(), [&](const SwitchRun& run) { return run.begin > number; });
  return static_cast<std::size_t>(after - runs.begin()) - 1;
}

/// Where ways are looked up.
static std::string routed_name(const Layout& layout, std::uint32_t index) {
  const Node& node = layout.nodes[index];
  const std::uint32_t at = node.hosts ? layout.routes.switch_of_leaf(index) : node.block;
  const SwitchRun& run = layout.switch_runs[run_of(layout, at)];
  return fmt::format("{}{} {}{}", node.hosts ? "hosts of " : "", run.name, at - run.begin,
                     layout.planes > 1 && !node.hosts ? fmt::format(" of plane {}", node.plane) : "");
}

std::string node_name(const Layout& layout, std::uint32_t index) {
  const Node& node = layout.nodes[index];
  if (!layout.routes.empty()) return routed_name(layout, index);
  if (node.hosts) return fmt::format("hosts of leaf {}", index);
  std::uint32_t first = index;  // of its tier and plane
  while (first > 0) {
    const Node& before = layout.nodes[first - 1];
    if (before.hosts || before.tier != node.tier || before.plane != node.plane) break;
    --first;
  }
  const std::uint32_t number = index - first;
  const std::string plane = layout.planes > 1 ? fmt::format(" of plane {}", node.plane) : "";
  if (node.tier == 0) return fmt::format("leaf {}{}", number, plane);
  if (node.tier + 1U < layout.tiers) return fmt::format("aggregation switch {}{}", number, plane);
  return fmt::format("spine {}{}", number, plane);
}

}  // namespace trainyard::wiring
