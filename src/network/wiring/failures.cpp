#include "network/wiring/failures.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard::wiring {
namespace {

/// Switches of one kind in a plane: what a failure may name.
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
  Reader(const Layout& layout, const FailureInput& failure) : layout_(layout), failure_(failure) {}

  std::vector<std::uint32_t> ports() const {
    if (failure_.plane < 0 || failure_.plane >= std::int64_t{layout_.planes})
      refuse(fmt::format("plane {}", failure_.plane), fmt::format("the network has {}", layout_.planes));
    const std::size_t blank = failure_.node.rfind(' ');
    const std::string kind = failure_.node.substr(0, blank);
    const std::int64_t number = number_after(blank);
    if (kind == "host") return host_ports(number);
    std::vector<std::string> names = {"host"};
    for (const Kind& k : kinds_of(layout_, failure_.plane)) {
      names.push_back(k.name);
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
    const std::uint32_t each = layout_.hosts_of_device();
    const std::int64_t hosts = layout_.hosts() / each;
    if (number >= hosts)
      refuse(fmt::format("host {}", number), fmt::format("hosts are numbered 0 to {}", hosts - 1));
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < each; ++i)
      out.push_back(layout_.port_of_host(static_cast<std::uint32_t>(number) * each + i,
                                         static_cast<std::uint32_t>(failure_.plane)));
    return out;
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

/// A failure of one direction of a link.
struct Loss {
  Picoseconds from = 0;
  Picoseconds until = kNever;
  double left = 0;  // of the rate
};

/// The least that is left by all that have failed at that time.
double left_at(const std::vector<Loss>& losses, Picoseconds time) {
  double out = 1;
  for (const Loss& loss : losses) {
    if (loss.from <= time && time < loss.until) out = std::min(out, loss.left);
  }
  return out;
}

std::vector<Picoseconds> times_of(const std::vector<Loss>& losses) {
  std::vector<Picoseconds> out;
  for (const Loss& loss : losses) {
    out.push_back(loss.from);
    if (loss.until != kNever) out.push_back(loss.until);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<LinkChange> link_changes(const Layout& layout, const std::vector<FailureInput>& failures) {
  const Picoseconds step = layout.shortest_delay();
  std::map<std::uint32_t, std::vector<Loss>> losses;  // by port
  for (const FailureInput& failure : failures) {
    const Loss loss{rounded_up(failure.from, step), failure.until ? rounded_up(*failure.until, step) : kNever,
                    failure.rate_share.value_or(0)};
    for (const std::uint32_t port : Reader(layout, failure).ports()) {
      const Wire& wire = layout.wires[port];
      losses[port].push_back(loss);
      losses[layout.nodes[wire.node].first_port + wire.in_port].push_back(loss);
    }
  }
  std::vector<LinkChange> out;
  for (const auto& [port, its] : losses) {
    double before = 1;
    for (const Picoseconds time : times_of(its)) {
      const double now = left_at(its, time);
      if (now != before) out.push_back({time, port, now});
      before = now;
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LinkChange& a, const LinkChange& b) { return a.time < b.time; });
  return out;
}

namespace {

/// Links as fast as what is left of others, made as they are asked for.
class SlowerLinks {
 public:
  explicit SlowerLinks(Layout& layout) : layout_(layout) {}

  std::uint16_t of(std::uint16_t link, double share) {
    if (share == 1) return link;
    const auto [known, is_new] =
        known_.try_emplace({link, share}, static_cast<std::uint16_t>(layout_.links.size()));
    if (is_new) add(link, share);
    return known->second;
  }

 private:
  void add(std::uint16_t link, double share) {
    LinkRules slower = layout_.links[link];
    const double time = static_cast<double>(slower.picoseconds_per_byte) / share;
    slower.picoseconds_per_byte = ByteTime::of(std::min(time, ByteTime::kMost));
    layout_.links.push_back(slower);
    ++layout_.slowed;
    TY_ASSERT(layout_.links.size() < Fault::kSameLink, "more kinds of links than are numbered");
  }

  Layout& layout_;
  std::map<std::pair<std::uint16_t, double>, std::uint16_t> known_;
};

}  // namespace

std::vector<Fault> faults_of(Layout& layout, const std::vector<FailureInput>& failures) {
  SlowerLinks slower(layout);
  std::map<std::uint32_t, double>
      rates;  // by port, of those that have changed: the share that is left, or was last
  std::map<std::uint32_t, bool> down;
  std::vector<Fault> out;
  for (const LinkChange& change : link_changes(layout, failures)) {
    const bool now_down = change.share == 0;
    bool& was_down = down[change.port];
    if (now_down != was_down) out.push_back({change.time, change.port, now_down});
    was_down = now_down;
    if (now_down) continue;
    const auto [rate, is_new] = rates.try_emplace(change.port, 1);
    if (rate->second == change.share) continue;
    rate->second = change.share;
    out.push_back({change.time, change.port, false, slower.of(layout.wires[change.port].link, change.share)});
  }
  return out;
}

}  // namespace trainyard::wiring
