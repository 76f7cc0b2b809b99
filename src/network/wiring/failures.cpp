#include "network/wiring/failures.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "trainyard/nearest.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard::wiring {
namespace {

/// Ports of one kind of node: what a failure may name.
struct Kind {
  const char* name;
  std::vector<std::uint32_t> nodes;  // empty for hosts
};

std::vector<Kind> kinds_of(const Layout& layout, std::int64_t plane) {
  std::vector<Kind> out = {{"leaf", {}}, {"aggregation", {}}, {"spine", {}}};
  for (std::uint32_t n = 0; n < layout.nodes.size(); ++n) {
    const Node& node = layout.nodes[n];
    if (node.hosts || node.plane != plane) continue;
    const std::size_t kind = node.tier == 0 ? 0 : node.tier + 1U < layout.tiers ? 1 : 2;
    out[kind].nodes.push_back(n);
  }
  return out;
}

class Reader {
 public:
  Reader(const Layout& layout, const FailureInput& failure) : layout_(layout), failure_(failure) {}

  std::vector<std::uint32_t> ports() const {
    if (failure_.plane < 0 || failure_.plane >= std::int64_t{layout_.planes})
      refuse(fmt::format("plane {}", failure_.plane), fmt::format("the network has {}", layout_.planes));
    const std::size_t blank = failure_.node.find(' ');
    const std::string kind = failure_.node.substr(0, blank);
    const std::int64_t number = number_after(blank);
    if (kind == "host") return host_ports(number);
    std::vector<std::string> names = {"host"};
    for (const Kind& k : kinds_of(layout_, failure_.plane)) {
      names.emplace_back(k.name);
      if (kind == k.name) return switch_ports(k, number);
    }
    refuse(fmt::format("no node '{}'", failure_.node), suggestion(kind, names));
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const std::string& help) const {
    fail_input(failure_.where, "'failure.node': " + message, help);
  }

  std::int64_t number_after(std::size_t blank) const {
    std::int64_t number = -1;
    if (blank != std::string::npos) {
      const char* begin = failure_.node.data() + blank + 1;
      const char* end = failure_.node.data() + failure_.node.size();
      const auto [rest, code] = std::from_chars(begin, end, number);
      if (code == std::errc{} && rest == end && number >= 0) return number;
    }
    refuse(fmt::format("'{}' names no node", failure_.node),
           "for example \"leaf 3\", \"spine 0\", \"host 7\"");
  }

  std::vector<std::uint32_t> host_ports(std::int64_t number) const {
    if (failure_.uplink)
      fail_input(failure_.where, "'failure.uplink': a host has one link in a plane", "leave it out");
    if (number >= std::int64_t{layout_.hosts()})
      refuse(fmt::format("host {}", number), fmt::format("hosts are numbered 0 to {}", layout_.hosts() - 1));
    return {
        layout_.port_of_host(static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(failure_.plane))};
  }

  std::vector<std::uint32_t> switch_ports(const Kind& kind, std::int64_t number) const {
    if (kind.nodes.empty())
      refuse(fmt::format("no {} in this network", kind.name), fmt::format("it has {} tiers", layout_.tiers));
    if (number >= static_cast<std::int64_t>(kind.nodes.size()))
      refuse(fmt::format("{} {}", kind.name, number),
             fmt::format("they are numbered 0 to {}", kind.nodes.size() - 1));
    const Node& node = layout_.nodes[kind.nodes[static_cast<std::size_t>(number)]];
    std::vector<std::uint32_t> out;
    if (!failure_.uplink) {
      for (std::uint32_t p = 0; p < node.ports; ++p) out.push_back(node.first_port + p);
      return out;
    }
    const std::int64_t uplinks = std::int64_t{node.ports} - node.ports_down;
    if (*failure_.uplink >= uplinks)
      fail_input(failure_.where, fmt::format("'failure.uplink': {} has {} links up", failure_.node, uplinks));
    return {node.first_port + node.ports_down + static_cast<std::uint32_t>(*failure_.uplink)};
  }

  const Layout& layout_;
  const FailureInput& failure_;
};

Picoseconds rounded_up(Seconds time, Picoseconds step) {
  const double steps = std::ceil(time.si() * kPicosecondsPerSecond / static_cast<double>(step));
  return static_cast<Picoseconds>(steps) * step;
}

}  // namespace

std::vector<Fault> faults_of(const Layout& layout, const std::vector<FailureInput>& failures) {
  const Picoseconds step = layout.shortest_delay();
  std::vector<Fault> out;
  for (const FailureInput& failure : failures) {
    for (const std::uint32_t port : Reader(layout, failure).ports()) {
      const Wire& wire = layout.wires[port];
      const std::uint32_t back = layout.nodes[wire.node].first_port + wire.in_port;
      for (const std::uint32_t p : {port, back}) {
        out.push_back({rounded_up(failure.from, step), p, true});
        if (failure.until) out.push_back({rounded_up(*failure.until, step), p, false});
      }
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Fault& a, const Fault& b) { return a.time < b.time; });
  return out;
}

}  // namespace trainyard::wiring
