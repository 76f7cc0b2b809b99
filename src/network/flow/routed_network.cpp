#include <algorithm>
#include <utility>

#include "base/mixing.h"
#include "network/flow/networks.h"
#include "network/wiring/layout.h"

namespace trainyard::flow {
namespace {

/// Ports of a layout with a table of routes, in the direction away from them.
class RoutedLinks final : public Network {
 public:
  RoutedLinks(std::shared_ptr<const wiring::Layout> layout, const NetworkRules& rules)
      : Network(layout->hosts(), capacities_of(*layout)),
        layout_(std::move(layout)),
        rules_(rules),
        at_(layout_->nodes.size(), 0) {}

  bool route(const RouteQuery& query, const DownLinks&, Route& out) const override {
    out.clear();
    if (takes_one_path(rules_.load_balancing)) {
      hashed(query, out);
      return true;
    }
    for (std::uint32_t plane = 0; plane < layout_->planes; ++plane) spray(query, plane, out);
    return true;
  }

  Seconds latency(std::uint32_t from, std::uint32_t to, Bytes bytes) const override {
    const Bytes packet = std::min(bytes, rules_.packet);
    if (rules_.header) return latency_cut_through(from, to, packet);
    Seconds sum{0};
    Seconds slowest{0};
    layout_->visit_links(layout_->reach(from, to), [&](const wiring::LinkRules& link, std::uint32_t count) {
      const Seconds time = time_of(link, packet);
      slowest = std::max(slowest, time);
      sum += static_cast<double>(count) * (seconds(link.delay) + (link.passes_through ? Seconds(0) : time));
    });
    return sum - slowest;
  }

 private:
  static Seconds time_of(const wiring::LinkRules& link, Bytes bytes) {
    return Seconds(bytes.si() * static_cast<double>(link.picoseconds_per_byte) / kPicosecondsPerSecond);
  }

  /// A switch sends on at the header unless one of its links is faster than the one that it came by.
  bool cuts_through(std::uint32_t number, const wiring::LinkRules& from) const {
    const wiring::Node& node = layout_->nodes[number];
    bool out = !node.hosts;
    for (std::uint32_t port = node.first_port; port < node.first_port + node.ports; ++port) {
      const wiring::LinkRules& link = layout_->link_of(port);
      out &= link.passes_through || from.picoseconds_per_byte <= link.picoseconds_per_byte;
    }
    return out;
  }

  Seconds latency_cut_through(std::uint32_t from, std::uint32_t to, Bytes packet) const {
    Seconds sum{0};
    Seconds slowest{0};
    Route way;
    hashed({from, to, 0}, way);
    for (const LinkShare& use : way) {
      const wiring::LinkRules& link = layout_->link_of(use.link);
      slowest = std::max(slowest, time_of(link, packet));
      sum += seconds(link.delay);
      if (link.passes_through) continue;
      const bool cuts = cuts_through(layout_->wires[use.link].node, link);
      sum += time_of(link, cuts ? std::min(packet, *rules_.header) : packet);
    }
    return std::max(Seconds(0), sum - slowest);
  }

  static std::vector<double> capacities_of(const wiring::Layout& layout) {
    std::vector<double> out;
    for (std::uint32_t port = 0; port < layout.wires.size(); ++port)
      out.push_back(kPicosecondsPerSecond / static_cast<double>(layout.link_of(port).picoseconds_per_byte));
    return out;
  }

  std::uint32_t last_port(const RouteQuery& query, std::uint32_t plane) const {
    const wiring::Wire& up = layout_->wires[layout_->port_of_host(query.to, plane)];
    return layout_->nodes[up.node].first_port + up.in_port;
  }

  void hashed(const RouteQuery& query, Route& out) const {
    const std::uint64_t hash = mixed(mixed(rules_.seed) ^ (query.hash << 1U));
    const std::uint32_t plane = query.plane_of(hash, layout_->planes);
    std::uint32_t port = layout_->port_of_host(query.from, plane);
    out.push_back({port, 1});
    const std::uint32_t goal = layout_->wires[layout_->port_of_host(query.to, plane)].node;
    for (std::uint32_t n = layout_->wires[port].node; n != goal; n = layout_->wires[port].node) {
      const auto ports = ports_at(n, query.to);
      const auto one = below(mixed(hash, n), static_cast<std::uint32_t>(ports.size()));
      port = layout_->nodes[n].first_port + ports[one];
      out.push_back({port, 1});
    }
    out.push_back({last_port(query, plane), 1});
  }

  std::span<const std::uint16_t> ports_at(std::uint32_t node, std::uint32_t to) const {
    return layout_->routes.ports_at(layout_->nodes[node].block,
                                    wiring::leaf_of(layout_->address_of_host[to]));
  }

  /// At every switch evenly over its ports towards the goal.
  void spray(const RouteQuery& query, std::uint32_t plane, Route& out) const {
    const double all = 1.0 / layout_->planes;
    const std::uint32_t first = layout_->port_of_host(query.from, plane);
    const std::uint32_t goal = layout_->wires[layout_->port_of_host(query.to, plane)].node;
    out.push_back({first, all});
    std::vector<std::uint32_t> layer = {layout_->wires[first].node};
    at_[layer.front()] = all;
    std::vector<std::uint32_t> next;
    while (layer.front() != goal) {
      next.clear();
      for (const std::uint32_t n : layer) {
        const auto ports = ports_at(n, query.to);
        const double share = std::exchange(at_[n], 0) / static_cast<double>(ports.size());
        for (const std::uint16_t p : ports) {
          const std::uint32_t port = layout_->nodes[n].first_port + p;
          const std::uint32_t there = layout_->wires[port].node;
          out.push_back({port, share});
          if (at_[there] == 0) next.push_back(there);
          at_[there] += share;
        }
      }
      std::swap(layer, next);
    }
    at_[goal] = 0;
    out.push_back({last_port(query, plane), all});
  }

  std::shared_ptr<const wiring::Layout> layout_;
  NetworkRules rules_;
  mutable std::vector<double> at_;  // of each node, while spraying; else 0
};

}  // namespace

std::unique_ptr<Network> routed_links(std::shared_ptr<const wiring::Layout> layout,
                                      const NetworkRules& rules) {
  return std::make_unique<RoutedLinks>(std::move(layout), rules);
}

}  // namespace trainyard::flow
