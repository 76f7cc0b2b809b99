#include "network/wiring/topology_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/foreign_text.h"
#include "trainyard/nearest.h"

namespace trainyard::wiring {
namespace {

constexpr std::uint64_t kMostTiersOfFile = 3;
constexpr std::uint64_t kMostNodes = 16'000'000;
constexpr std::uint64_t kMostRadix = 65535;  // ports are numbered in 16 bits
constexpr std::uint64_t kMostNanoseconds = 1'000'000'000;
constexpr std::uint64_t kMostQueueBytes = 1'000'000'000'000;
constexpr std::int64_t kMostPortsOfFile = 100'000'000;  // of the whole network
constexpr double kPicosecondsOfByteAtOneGbps = 8000;
constexpr double kSlowestGbps = 0.001;
/// Rates are written with five or six digits: 296.296 Gbps are 27 ps for a byte.
constexpr double kRateTolerance = 1e-5;

/// What a line may set; the first three for the network, the others for a tier.
enum Key : std::size_t {
  kNodes,
  kTiers,
  kPodsize,
  kSpeed,
  kLatency,
  kSwitchLatency,
  kRadixDown,
  kRadixUp,
  kBundle,
  kOversubscribed,
  kQueueDown,
  kQueueUp,
  kKeys
};
constexpr std::size_t kOfNetwork = kSpeed;
constexpr std::array<std::string_view, kKeys> kNames = {
    "Nodes",      "Tiers",    "Podsize", "Downlink_speed_Gbps", "Downlink_Latency_ns", "Switch_Latency_ns",
    "Radix_Down", "Radix_Up", "Bundle",  "Oversubscribed",      "Queue_down",          "Queue_up"};

/// A line's value and where its key stands.
struct Setting {
  std::string_view key;
  std::string_view value;
};
using Settings = std::array<std::optional<Setting>, kKeys>;

std::string value_name(Key key) { return fmt::format("value of {}", kNames[key]); }

std::string lower(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Lines into settings of the network and of each tier.
class SettingsReader {
 public:
  explicit SettingsReader(ForeignText& text) : text_(text) {}

  void read() {
    for (auto words = text_.next_words(); !words.empty(); words = text_.next_words()) {
      if (words.size() != 2)
        text_.fail(words[0], fmt::format("{} words", words.size()), "a name and its value on each line");
      if (lower(words[0]) == "tier") {
        tier_ = static_cast<std::size_t>(text_.whole(words[1], "tier", 0, kMostTiersOfFile - 1));
        if (tier_line[*tier_].empty()) tier_line[*tier_] = words[0];
      } else {
        set({words[0], words[1]});
      }
    }
  }

  Settings network;
  std::array<Settings, kMostTiersOfFile> tiers;
  std::array<std::string_view, kMostTiersOfFile>
      tier_line;  // where it begins; empty for one that the file lacks

 private:
  void set(const Setting& setting) {
    const auto name = std::find_if(kNames.begin(), kNames.end(),
                                   [&](std::string_view n) { return lower(n) == lower(setting.key); });
    if (name == kNames.end()) {
      std::vector<std::string> names = {"tier"};
      for (const std::string_view n : kNames) names.push_back(lower(n));
      text_.fail(setting.key, fmt::format("unknown {}", quoted(setting.key)),
                 suggestion(lower(setting.key), names));
    }
    const auto key = static_cast<std::size_t>(name - kNames.begin());
    if (key >= kOfNetwork && !tier_)
      text_.fail(setting.key, fmt::format("'{}' before a tier", *name), "a line 'Tier 0' begins the leaves");
    std::optional<Setting>& slot = key < kOfNetwork ? network[key] : tiers[*tier_][key];
    if (slot)
      text_.fail(setting.key, fmt::format("'{}' again", *name),
                 fmt::format("line {} has it", text_.where(slot->key).line));
    slot = setting;
  }

  ForeignText& text_;
  std::optional<std::size_t> tier_;
};

/// A tier as the file has it.
struct Tier {
  ByteTime picoseconds_per_byte = 0;
  std::uint64_t latency_ns = 0;
  std::uint64_t switch_latency_ns = 0;
  std::int64_t radix_down = 0;
  std::int64_t radix_up = 0;
  std::int64_t bundle = 1;
  TierQueues queues;
};

/// A network as the file has it.
struct FileNetwork {
  std::int64_t nodes = 0;
  std::int64_t pods = 1;
  std::vector<Tier> tiers;

  /// Blocks of the tier below in a block: hosts of a leaf, leaves of a pod, pods.
  std::int64_t children(std::size_t t) const {
    if (t == 0) return tiers[0].radix_down;
    return t == 1 ? nodes / pods / tiers[0].radix_down : pods;
  }

  /// Every leaf of a pod has a bundle to every switch above; switches at the same position of all pods share
  /// theirs. That numbers the top tier by position first; htsim counts positions fastest.
  ClosShape shape() const {
    ClosShape out;
    out.endpoints = nodes;
    for (std::size_t t = 0; t < tiers.size(); ++t) {
      ClosTier tier;
      tier.children = children(t);
      tier.group = t == 0 ? 1 : tiers[t - 1].radix_up / tiers[t].bundle;
      tier.uplinks = tiers[t].radix_up;
      tier.down = tiers[t].radix_down;
      out.tiers.push_back(tier);
    }
    return out;
  }
};

/// Settings into the network that they state.
class NetworkReader {
 public:
  NetworkReader(const ForeignText& text, const SettingsReader& settings) : text_(text), settings_(settings) {}

  FileNetwork read() {
    read_network();
    for (std::size_t t = 0; t < net_.tiers.size(); ++t) net_.tiers[t] = read_tier(t);
    return std::move(net_);
  }

 private:
  std::size_t top() const { return net_.tiers.size() - 1; }

  void read_network() {
    net_.nodes = whole_of_network(kNodes, 1, kMostNodes);
    net_.tiers.resize(static_cast<std::size_t>(whole_of_network(kTiers, 2, kMostTiersOfFile)));
    const std::int64_t podsize = whole_of_network(kPodsize, 1, kMostNodes);
    const std::string_view line = settings_.network[kPodsize]->key;
    if (net_.nodes % podsize != 0)
      text_.fail(line, fmt::format("{} nodes are no whole number of pods of {}", net_.nodes, podsize),
                 "a Podsize that divides Nodes");
    net_.pods = net_.nodes / podsize;
    if (net_.tiers.size() == 2 && net_.pods > 1)
      text_.fail(line, fmt::format("{} pods without a third tier that joins them", net_.pods),
                 fmt::format("with 2 tiers Podsize is Nodes: {}", net_.nodes));
    for (std::size_t t = 0; t < kMostTiersOfFile; ++t) {
      const std::string_view section = settings_.tier_line[t];
      if (t < net_.tiers.size() && section.empty())
        text_.fail(text_.end(), fmt::format("no tier {}", t),
                   fmt::format("a line 'Tier {}' and its settings", t));
      if (t >= net_.tiers.size() && !section.empty())
        text_.fail(section, fmt::format("tier {} of {}", t, net_.tiers.size()), "'Tiers 3', or without it");
    }
  }

  std::int64_t whole_of_network(Key key, std::uint64_t least, std::uint64_t most) const {
    const auto& setting = settings_.network[key];
    if (!setting)
      text_.fail(text_.end(), fmt::format("'{}' is missing", kNames[key]),
                 "Nodes, Tiers and Podsize come first");
    return static_cast<std::int64_t>(text_.whole(setting->value, value_name(key), least, most));
  }

  const Setting& needed(std::size_t tier, Key key) const {
    const auto& setting = settings_.tiers[tier][key];
    if (!setting)
      text_.fail(settings_.tier_line[tier], fmt::format("'{}' of tier {} is missing", kNames[key], tier),
                 fmt::format("a line '{} ...'", kNames[key]));
    return *setting;
  }

  std::uint64_t whole_of(const Setting& setting, Key key, std::uint64_t least, std::uint64_t most) const {
    return text_.whole(setting.value, value_name(key), least, most);
  }
  std::uint64_t whole_or(std::size_t tier, Key key, std::uint64_t otherwise, std::uint64_t least,
                         std::uint64_t most) const {
    const auto& setting = settings_.tiers[tier][key];
    return setting ? whole_of(*setting, key, least, most) : otherwise;
  }

  Tier read_tier(std::size_t t) const {
    Tier out;
    out.picoseconds_per_byte = picoseconds_per_byte(needed(t, kSpeed).value);
    out.latency_ns = whole_of(needed(t, kLatency), kLatency, 1, kMostNanoseconds);
    out.switch_latency_ns = whole_or(t, kSwitchLatency, 0, 0, kMostNanoseconds);
    out.radix_down = static_cast<std::int64_t>(whole_of(needed(t, kRadixDown), kRadixDown, 1, kMostRadix));
    out.bundle = static_cast<std::int64_t>(whole_or(t, kBundle, 1, 1, kMostRadix));
    const auto& queue_down = settings_.tiers[t][kQueueDown];
    if (queue_down) out.queues.down_bytes = whole_of(*queue_down, kQueueDown, 1, kMostQueueBytes);
    if (t == top()) {
      refuse_uplinks(t);
      return out;
    }
    out.radix_up = static_cast<std::int64_t>(whole_of(needed(t, kRadixUp), kRadixUp, 1, kMostRadix));
    const auto& queue_up = settings_.tiers[t][kQueueUp];
    if (queue_up) out.queues.up_bytes = whole_of(*queue_up, kQueueUp, 1, kMostQueueBytes);
    return out;
  }

  void refuse_uplinks(std::size_t t) const {
    for (const Key key : {kRadixUp, kQueueUp, kOversubscribed}) {
      if (const auto& setting = settings_.tiers[t][key])
        text_.fail(setting->key, fmt::format("'{}' of the top tier", kNames[key]),
                   "no links lead up from it");
    }
  }

  ByteTime picoseconds_per_byte(std::string_view value) const {
    const double gbps = text_.decimal(value, "rate in Gbps", kSlowestGbps, kPicosecondsOfByteAtOneGbps);
    const double exact = kPicosecondsOfByteAtOneGbps / gbps;
    const double whole_ps = std::round(exact);
    return ByteTime::of(std::abs(exact - whole_ps) <= kRateTolerance * exact ? whole_ps : exact);
  }

  const ForeignText& text_;
  const SettingsReader& settings_;
  FileNetwork net_;
};

/// Whether the numbers of a network fit together.
class NetworkChecks {
 public:
  NetworkChecks(const ForeignText& text, const SettingsReader& settings, const FileNetwork& network)
      : text_(text), settings_(settings), net_(network) {}

  void check() const {
    check_bundles();
    check_down_ports();
    for (std::size_t t = 0; t + 1 < net_.tiers.size(); ++t) check_oversubscription(t);
    check_size();
  }

 private:
  void check_bundles() const {
    if (net_.tiers[0].bundle != 1)
      text_.fail(settings_.tiers[0][kBundle]->key, "hosts with several links to their leaf",
                 "Bundle 1, or planes");
    for (std::size_t t = 1; t < net_.tiers.size(); ++t) {
      if (net_.tiers[t - 1].radix_up % net_.tiers[t].bundle != 0)
        text_.fail(settings_.tiers[t][kBundle]->key,
                   fmt::format("{} links up from tier {} are no whole number of bundles of {}",
                               net_.tiers[t - 1].radix_up, t - 1, net_.tiers[t].bundle),
                   "a Bundle that divides Radix_Up of the tier below");
    }
  }

  /// A switch has a bundle to each block below it.
  void check_down_ports() const {
    const std::int64_t podsize = net_.nodes / net_.pods;
    if (podsize % net_.tiers[0].radix_down != 0)
      text_.fail(settings_.tiers[0][kRadixDown]->key,
                 fmt::format("pods of {} hosts are no whole number of leaves with {}", podsize,
                             net_.tiers[0].radix_down),
                 "a Radix_Down that divides Podsize");
    for (std::size_t t = 1; t < net_.tiers.size(); ++t) {
      const std::int64_t needed_ports = net_.children(t) * net_.tiers[t].bundle;
      if (net_.tiers[t].radix_down == needed_ports) continue;
      text_.fail(settings_.tiers[t][kRadixDown]->key,
                 fmt::format("{} links down do not fit {} {} with bundles of {}", net_.tiers[t].radix_down,
                             net_.children(t), t == 1 ? "leaves of a pod" : "pods", net_.tiers[t].bundle),
                 down_ports_help(t, needed_ports));
    }
  }

  std::string down_ports_help(std::size_t t, std::int64_t needed_ports) const {
    std::string help = fmt::format("Radix_Down {}", needed_ports);
    const std::int64_t bundle = net_.tiers[t].radix_down / net_.children(t);
    if (bundle >= 1 && net_.tiers[t].radix_down % net_.children(t) == 0 &&
        net_.tiers[t - 1].radix_up % bundle == 0)
      help += fmt::format(", or Bundle {}", bundle);
    return help;
  }

  void check_oversubscription(std::size_t t) const {
    const auto& setting = settings_.tiers[t][kOversubscribed];
    if (!setting) return;
    const double stated = text_.decimal(setting->value, value_name(kOversubscribed), 0.001, 1e6);
    const double down = static_cast<double>(net_.tiers[t].radix_down) /
                        static_cast<double>(net_.tiers[t].picoseconds_per_byte);
    const double up = static_cast<double>(net_.tiers[t].radix_up) /
                      static_cast<double>(net_.tiers[t + 1].picoseconds_per_byte);
    if (std::abs(down / up - stated) > 1e-3 * stated)
      text_.fail(
          setting->key,
          fmt::format("switches of tier {} have {:.6g} times the rate down of that up, not {:.6g} times", t,
                      down / up, stated),
          fmt::format("Oversubscribed {:.6g}, or another Radix_Up", down / up));
  }

  void check_size() const {
    const ClosShape clos = net_.shape();
    std::int64_t ports = net_.nodes;
    for (std::size_t t = 0; t < net_.tiers.size(); ++t)
      ports += clos.switches(t) * (net_.tiers[t].radix_down + net_.tiers[t].radix_up);
    if (ports > kMostPortsOfFile)
      text_.fail(settings_.network[kNodes]->key, fmt::format("a network of {} ports", ports),
                 fmt::format("at most {} are simulated", kMostPortsOfFile));
  }

  const ForeignText& text_;
  const SettingsReader& settings_;
  const FileNetwork& net_;
};

TopologyFile file_of(const FileNetwork& network) {
  TopologyFile out;
  out.shape = network.shape();
  for (std::size_t t = 0; t < network.tiers.size(); ++t) {
    const std::uint64_t both_switches =
        network.tiers[t].switch_latency_ns + (t == 0 ? 0 : network.tiers[t - 1].switch_latency_ns);
    out.links.push_back(
        {network.tiers[t].latency_ns * 1000 + both_switches * 500, network.tiers[t].picoseconds_per_byte});
    out.queues.push_back(network.tiers[t].queues);
  }
  return out;
}

}  // namespace

std::vector<std::uint64_t> queues_of_ports(const Layout& layout, const std::vector<TierQueues>& tiers,
                                           std::uint64_t usual) {
  const bool any = std::any_of(tiers.begin(), tiers.end(), [](const TierQueues& t) {
    return t.up_bytes.has_value() || t.down_bytes.has_value();
  });
  if (!any) return {};
  std::vector<std::uint64_t> out(layout.wires.size(), usual);
  for (const Node& node : layout.nodes) {
    if (node.hosts) continue;
    const TierQueues& queues = tiers[node.tier];
    for (std::uint32_t p = 0; p < node.ports; ++p)
      out[node.first_port + p] = (p < node.ports_down ? queues.down_bytes : queues.up_bytes).value_or(usual);
  }
  return out;
}

TopologyFile read_topology_file(const std::shared_ptr<const SourceText>& text) {
  ForeignText foreign(text);
  SettingsReader settings(foreign);
  settings.read();
  const FileNetwork network = NetworkReader(foreign, settings).read();
  NetworkChecks(foreign, settings, network).check();
  return file_of(network);
}

}  // namespace trainyard::wiring
