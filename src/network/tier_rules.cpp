#include "network/tier_rules.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

using wiring::ByteTime;
using wiring::Layout;
using wiring::LinkRules;
using wiring::Node;

void check_tier(const TierInput& input, std::size_t tiers) {
  if (input.tier >= static_cast<std::int64_t>(tiers))
    fail_input(place_of(input.places, "tier"),
               fmt::format("tier {} of a network with {} tiers of links", input.tier, tiers),
               fmt::format("tiers are numbered 0, those of the hosts, to {}", tiers - 1));
}

ByteTime byte_time_of(const TierInput& input) {
  const double exact = kBitsPerByte * kPicosecondsPerSecond / input.rate->si();
  if (!(exact >= ByteTime::kLeast && exact <= ByteTime::kMost))
    fail_input(place_of(input.places, "rate"),
               fmt::format("a byte takes {:.4g} ps on a link of {}", exact,
                           format_quantity(input.rate->si(), Unit::bits_per_second)),
               fmt::format("from {:g} to {:g} ps", ByteTime::kLeast, ByteTime::kMost));
  return ByteTime::of(exact);
}

class QueuesOfTiers {
 public:
  QueuesOfTiers(const SimulationInput& input, Layout& layout)
      : packet_bytes_(input.packet.si() + input.header.si()), usual_(input.queue), layout_(layout) {}

  void apply(const TierInput& tier) {
    if (!tier.queue && !tier.queue_up && !tier.queue_down) return;
    if (!layout_.routes.empty() && (tier.queue_up || tier.queue_down))
      fail_input(place_of(tier.places, tier.queue_up ? "queue_up" : "queue_down"),
                 "this network has no up and down", "'tier.queue' in place of them");
    if (layout_.queue_bytes.empty()) layout_.queue_bytes.assign(layout_.wires.size(), bytes_of(usual_, tier));
    for (const Node& node : layout_.nodes) {
      for (std::uint32_t p = 0; !node.hosts && p < node.ports; ++p) {
        const std::uint32_t port = node.first_port + p;
        if (layout_.wires[port].link != tier.tier) continue;
        const auto& own = p < node.ports_down ? tier.queue_down : tier.queue_up;
        if (own || tier.queue) layout_.queue_bytes[port] = bytes_of(own ? *own : *tier.queue, tier);
      }
    }
  }

 private:
  std::uint64_t bytes_of(std::int64_t packets, const TierInput& tier) const {
    constexpr double kMost = 4294967295.0;
    const double bytes = static_cast<double>(packets) * packet_bytes_;
    if (bytes > kMost)
      fail_input(place_of(tier.places, "queue"), "more than 4 GB at one port", "fewer or smaller packets");
    return static_cast<std::uint64_t>(bytes);
  }

  double packet_bytes_;
  std::int64_t usual_;
  Layout& layout_;
};

}  // namespace

void apply_tiers(const std::vector<TierInput>& tiers, std::vector<LinkRules>& links) {
  for (const TierInput& tier : tiers) {
    check_tier(tier, links.size());
    LinkRules& link = links[static_cast<std::size_t>(tier.tier)];
    if (tier.delay) link.delay = picoseconds(*tier.delay);
    if (tier.rate) link.picoseconds_per_byte = byte_time_of(tier);
  }
}

void apply_tiers(const Scenario& scenario, Layout& layout) {
  if (scenario.tiers.empty()) return;
  if (!layout.devices.empty())
    fail_input(place_of(scenario.tiers.front().places), "tiers are told apart in one network",
               "simulation.extent = \"network\"; simulation.domain_delay and domain_queue");
  apply_tiers(scenario.tiers, layout.links);
  QueuesOfTiers queues(scenario.simulation, layout);
  for (const TierInput& tier : scenario.tiers) queues.apply(tier);
}

}  // namespace trainyard
