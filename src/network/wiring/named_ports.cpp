#include "network/wiring/named_ports.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"

namespace trainyard::wiring {
namespace {

/// Switches of one kind in a plane: what may be named.
struct Kind {
  std::string name;
  std::vector<std::uint32_t> nodes;
};

std::vector<Kind> kinds_of(const Layout& layout, std::int64_t plane) {
  std::vector<Kind> out;
  if (layout.routes.empty()) {
    out = {{"leaf", {}}, {"aggregation", {}}, {"spine", {}}};
  } else {
    for (const SwitchRun& run : layout.switch_runs) out.push_back({run.name, {}});
  }
  for (std::uint32_t n = 0; n < layout.nodes.size(); ++n) {
    const Node& node = layout.nodes[n];
    if (node.hosts || node.plane != plane) continue;
    std::size_t kind = node.tier == 0 ? 0 : node.tier + 1U < layout.tiers ? 1 : 2;
    if (!layout.routes.empty()) kind = run_of(layout, node.block);
    out[kind].nodes.push_back(n);
  }
  return out;
}

class Reader {
 public:
  Reader(const Layout& layout, const NodeName& name) : layout_(layout), name_(name) {}

  std::vector<std::uint32_t> ports() const {
    if (name_.plane < 0 || name_.plane >= std::int64_t{layout_.planes})
      fail_input(place_of(name_.places, "plane"),
                 fmt::format("'{}.plane': plane {}", name_.section, name_.plane),
                 fmt::format("the network has {}, numbered from 0", counted(layout_.planes, "plane")));
    const std::size_t blank = name_.node.rfind(' ');
    const std::string kind = name_.node.substr(0, blank);
    const std::int64_t number = number_after(blank);
    if (kind == "host") return host_ports(number);
    std::vector<std::string> names = {"host"};
    for (const Kind& k : kinds_of(layout_, name_.plane)) {
      names.push_back(k.name);
      if (kind == k.name) return switch_ports(k, number);
    }
    refuse(fmt::format("no node '{}'", name_.node), suggestion(kind, names));
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const std::string& help) const {
    fail_input(place_of(name_.places, "node"), fmt::format("'{}.node': {}", name_.section, message), help);
  }

  /// One of each kind that is there.
  std::string examples() const {
    std::string out = "for example \"host 0\"";
    for (const Kind& kind : kinds_of(layout_, name_.plane)) {
      if (!kind.nodes.empty()) out += fmt::format(", \"{} 0\"", kind.name);
    }
    return out;
  }

  std::int64_t number_after(std::size_t blank) const {
    std::int64_t number = -1;
    if (blank != std::string::npos) {
      const char* begin = name_.node.data() + blank + 1;
      const char* end = name_.node.data() + name_.node.size();
      const auto [rest, code] = std::from_chars(begin, end, number);
      if (code == std::errc{} && rest == end && number >= 0) return number;
    }
    refuse(fmt::format("'{}' names no node", name_.node), examples());
  }

  std::vector<std::uint32_t> host_ports(std::int64_t number) const {
    if (name_.uplink)
      fail_input(place_of(name_.places, "uplink"),
                 fmt::format("'{}.uplink': a host has one link in a plane", name_.section), "leave it out");
    const std::uint32_t each = layout_.hosts_of_device();
    const std::int64_t hosts = layout_.hosts() / each;
    if (number >= hosts)
      refuse(fmt::format("host {}", number), fmt::format("hosts are numbered 0 to {}", hosts - 1));
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < each; ++i)
      out.push_back(layout_.port_of_host(static_cast<std::uint32_t>(number) * each + i,
                                         static_cast<std::uint32_t>(name_.plane)));
    return out;
  }

  std::vector<std::uint32_t> switch_ports(const Kind& kind, std::int64_t number) const {
    if (kind.nodes.empty())
      refuse(fmt::format("no {} in this network", kind.name), "it has " + counted(layout_.tiers, "tier"));
    if (number >= static_cast<std::int64_t>(kind.nodes.size()))
      refuse(fmt::format("{} {}", kind.name, number),
             fmt::format("they are numbered 0 to {}", kind.nodes.size() - 1));
    const Node& node = layout_.nodes[kind.nodes[static_cast<std::size_t>(number)]];
    std::vector<std::uint32_t> out;
    if (!name_.uplink) {
      for (std::uint32_t p = 0; p < node.ports; ++p) out.push_back(node.first_port + p);
      return out;
    }
    const std::int64_t uplinks = std::int64_t{node.ports} - node.ports_down;
    if (*name_.uplink >= uplinks)
      fail_input(
          place_of(name_.places, "uplink"),
          fmt::format("'{}.uplink': {} has {} up", name_.section, name_.node, counted(uplinks, "link")),
          uplinks > 0 ? fmt::format("they are numbered 0 to {}", uplinks - 1) : "leave it out");
    return {node.first_port + node.ports_down + static_cast<std::uint32_t>(*name_.uplink)};
  }

  const Layout& layout_;
  const NodeName& name_;
};

std::uint32_t node_of(const Layout& layout, std::uint32_t port) {
  const auto after = std::upper_bound(layout.nodes.begin(), layout.nodes.end(), port,
                                      [](std::uint32_t p, const Node& node) { return p < node.first_port; });
  return static_cast<std::uint32_t>(after - layout.nodes.begin()) - 1;
}

std::string host_name(const Layout& layout, std::uint32_t node, std::uint32_t port) {
  const std::uint32_t host = layout.host_at(node, port / layout.planes);
  return fmt::format("host {}", host / layout.hosts_of_device());
}

}  // namespace

std::vector<std::uint32_t> named_ports(const Layout& layout, const NodeName& name) {
  return Reader(layout, name).ports();
}

std::string port_name(const Layout& layout, std::uint32_t port) {
  const std::uint32_t n = node_of(layout, port);
  const std::uint32_t local = port - layout.nodes[n].first_port;
  const Wire& wire = layout.wires[port];
  const bool to_host = layout.nodes[wire.node].hosts;
  const std::string to = to_host ? host_name(layout, wire.node, wire.in_port) : node_name(layout, wire.node);
  if (layout.nodes[n].hosts) return host_name(layout, n, local) + " to " + to;
  if (to_host) return node_name(layout, n) + " to " + to;
  return fmt::format("{} port {} to {}", node_name(layout, n), local, to);
}

}  // namespace trainyard::wiring
