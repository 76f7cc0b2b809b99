// Layouts of whole datacenters: all networks of a plane, HB domains, and gateways between datacenters.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/counted.h"
#include "network/wiring/layout.h"
#include "network/wiring/routed_layout.h"
#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"

namespace trainyard::wiring {
namespace {

/// Which part of the shortest delay the way inside a device has. Its links are as much shorter.
constexpr Picoseconds kOwnPort = 16;
constexpr Picoseconds kLeastDelay = 2 * kOwnPort;
constexpr const char* kNetworkRate = "network.scale_out_rate";
/// Packets that stand for the ways that they take.
constexpr std::uint64_t kUsualPacket = 4096;

std::uint32_t numbered(std::int64_t v) { return static_cast<std::uint32_t>(v); }

GraphScope scope_of(const NetworkDesign& design, const JoinedRules& rules) {
  return {.planes = 1,
          .all_datacenters = rules.all_datacenters,
          .domains = true,
          .scale_up_rate = rules.scale_up_rate / static_cast<double>(design.planes)};
}

class JoinedParts {
 public:
  JoinedParts(const NetworkDesign& design, const JoinedRules& rules)
      : design_(design), rules_(rules), graph_(build_graph(design, scope_of(design, rules))), paths_(graph_) {
    out_.design = &design;
    inside_ = std::max<Picoseconds>(1, std::min(rules.link.delay, rules.domain_delay) / kOwnPort);
    add_switches();
    add_devices();
    add_host_links();
    add_links();
  }

  Layout lay_out() && {
    out_.graph = std::move(graph_);
    return lay_out_routed(
        std::move(out_), numbered(design_.planes),
        [&](std::uint32_t node, std::vector<JoinedPaths::Rank>& ranks) { paths_.search(node, ranks); });
  }

 private:
  void add_switches() {
    int top = 1;
    for (const NodeRun& run : graph_.node_runs) top = std::max(top, run.tier + 1);
    add_runs(NodeKind::host, "device", [](const NodeRun&) { return 1; });
    for (const NodeRun& run : graph_.node_runs) {
      if (run.kind == NodeKind::electrical_switch) add_run(run, run.name, run.tier + 1);
    }
    add_runs(NodeKind::domain, "HB domain", [](const NodeRun&) { return 2; });
    add_runs(NodeKind::gateway, "gateway", [&](const NodeRun&) { return top + 1; });
  }
  template <class Tier>
  void add_runs(NodeKind kind, const char* name, const Tier& tier) {
    for (const NodeRun& run : graph_.node_runs) {
      if (run.kind == kind && run.begin < run.end) add_run(run, name, tier(run));
    }
  }
  /// Alike switches of several networks or datacenters are numbered on.
  void add_run(const NodeRun& run, const std::string& name, int tier) {
    if (out_.switch_runs.empty() || out_.switch_runs.back().name != name)
      out_.switch_runs.push_back({name, numbered(std::ssize(out_.switches))});
    for (std::uint32_t node = run.begin; node < run.end; ++node) out_.switches.push_back({node, tier});
    out_.devices.is_domain.resize(out_.switches.size(), run.kind == NodeKind::domain ? 1 : 0);
  }

  void add_devices() {
    const std::int64_t datacenters = rules_.all_datacenters ? design_.datacenters : 1;
    for (std::int64_t dc = 0; dc < datacenters; ++dc) {
      for (std::int64_t device = 0; device < design_.hosts; ++device) {
        if (device % design_.domain == 0)
          out_.devices.first_of_domain.push_back(numbered(std::ssize(out_.devices.domain)));
        out_.devices.domain.push_back(numbered(std::ssize(out_.devices.first_of_domain) - 1));
      }
    }
    out_.devices.first_of_domain.push_back(numbered(std::ssize(out_.devices.domain)));
    for (std::size_t device = 0; device < out_.devices.domain.size(); ++device)
      out_.node_of_host.insert(out_.node_of_host.end(), 2, out_.switches[device].node);
  }

  /// A host's link gives the pace; its other end takes no time of its own.
  void add_host_links() {
    LinkRules up = rules_.link;
    up.picoseconds_per_byte =
        byte_time(design_.link_rate * static_cast<double>(design_.fabric->host_links()), kNetworkRate);
    up.delay = inside_;
    up.passes_through = true;
    LinkRules down = up;
    down.picoseconds_per_byte = ByteTime::of(ByteTime::kLeast);
    LinkRules scale_up = up;
    scale_up.picoseconds_per_byte =
        byte_time(rules_.scale_up_rate / static_cast<double>(design_.planes), "network.scale_up_rate");
    out_.links = {up, down, scale_up, down};
    out_.link_names = {"device to NICs", "NICs to device", "device to scale-up port",
                       "scale-up port to device"};
    out_.up = {0, 2};
    out_.down = {1, 3};
  }

  static ByteTime byte_time(BitRate rate, const char* setting) {
    const double exact = kBitsPerByte * kPicosecondsPerSecond / rate.si();
    if (!(exact >= ByteTime::kLeast && exact <= ByteTime::kMost))
      fail_input(whole(setting), fmt::format("a byte takes {:.4g} ps on a link", exact),
                 fmt::format("from {:g} to {:g} ps", ByteTime::kLeast, ByteTime::kMost));
    return ByteTime::of(exact);
  }

  void add_links() {
    out_.class_of_link.resize(graph_.links.size());
    for (const LinkRun& run : graph_.link_runs) {
      std::uint16_t its = 0;
      for (std::uint32_t link = run.begin; link < run.end; ++link) {
        if (link == run.begin || run.name == kWideArea) its = class_of(run, graph_.links[link]);
        out_.class_of_link[link] = its;
      }
    }
  }

  std::uint16_t class_of(const LinkRun& run, const Link& link) {
    const NodeRun& a = graph_.run_of_node(link.a);
    const NodeRun& b = graph_.run_of_node(link.b);
    const bool wide_area = run.name == kWideArea;
    std::string name = run.name;
    if (wide_area) name += fmt::format(" {}-{}", a.datacenter, b.datacenter);
    const auto [known, is_new] = classes_.try_emplace(name, static_cast<std::uint16_t>(out_.links.size()));
    if (!is_new) return known->second;
    LinkRules rules = rules_.link;
    if (b.kind == NodeKind::domain || a.kind == NodeKind::domain) {
      rules.picoseconds_per_byte = out_.links[2].picoseconds_per_byte;
      rules.delay = rules_.domain_delay;
    }
    if (wide_area) {
      rules.picoseconds_per_byte =
          byte_time(design_.host_rate / static_cast<double>(design_.planes), kNetworkRate);
      rules.delay = delay_between(a.datacenter, b.datacenter);
    }
    for (const NodeRun& end : {a, b}) rules.delay -= end.kind == NodeKind::host ? inside_ : 0;
    out_.links.push_back(rules);
    out_.link_names.push_back(name);
    return known->second;
  }

  Picoseconds delay_between(std::int64_t a, std::int64_t b) const {
    const Seconds delay = rules_.site_delays.at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b));
    return std::max(rules_.link.delay, picoseconds(delay));
  }

  const NetworkDesign& design_;
  const JoinedRules& rules_;
  Graph graph_;
  JoinedPaths paths_;
  Picoseconds inside_ = 1;
  RoutedParts out_;
  std::map<std::string, std::uint16_t> classes_;
};

/// The way that takes a usual packet longest, by the first of its shortest ones.
class Longest {
 public:
  explicit Longest(const Layout& layout) : layout_(layout), time_(layout.nodes.size()) {}

  Reach find() {
    Picoseconds most = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    for (std::uint32_t goal = 0; goal < layout_.leaves; ++goal) {
      std::fill(time_.begin(), time_.end(), kNever);
      time_[layout_.routes.switch_of_leaf(goal)] = 0;
      for (std::uint32_t device = 0; device < layout_.leaves; ++device) {
        const Picoseconds time = time_from(layout_.routes.switch_of_leaf(device), goal);
        if (time <= most) continue;
        most = time;
        from = device;
        to = goal;
      }
    }
    if (most == 0) return {};
    return layout_.reach(layout_.sending_host(from, to), layout_.receiving_host(from, to));
  }

 private:
  Picoseconds time_from(std::uint32_t at, std::uint32_t goal) {
    if (time_[at] != kNever) return time_[at];
    const std::uint32_t port =
        layout_.nodes[layout_.leaves + at].first_port + layout_.routes.first_port(at, goal);
    const LinkRules& link = layout_.link_of(port);
    const Picoseconds rest = time_from(layout_.nodes[layout_.wires[port].node].block, goal);
    time_[at] = rest + link.delay + link.time(kUsualPacket);
    return time_[at];
  }

  const Layout& layout_;
  std::vector<Picoseconds> time_;  // of each switch
};

void check(const NetworkDesign& design, const JoinedRules& rules) {
  if (design.inside_domains())
    refuse_layout(design, "it is the network inside HB domains, which a datacenter has beside another one",
                  "simulation.extent = \"network\", or another topology");
  const std::int64_t others = rules.all_datacenters ? design.datacenters - 1 : 0;
  if (design.gateways < others)
    refuse_layout(
        design,
        fmt::format("{} of a network for {}", counted(design.gateways, "gateway"),
                    counted(others, "other datacenter")),
        fmt::format("gateways = {} at least, or a larger network.wide_area_rate", others * design.networks));
  if (std::min(rules.link.delay, rules.domain_delay) < kLeastDelay)
    refuse_layout(design, fmt::format("delays below {} ps", kLeastDelay), "larger delays of links");
}

}  // namespace

Layout lay_out_joined(const NetworkDesign& design, const JoinedRules& rules) {
  check(design, rules);
  Layout out = JoinedParts(design, rules).lay_out();
  out.devices.longest = Longest(out).find();
  return out;
}

}  // namespace trainyard::wiring
