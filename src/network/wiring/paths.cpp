#include "network/wiring/paths.h"

#include <algorithm>

#include "network/wiring/faults.h"
#include "trainyard/load_balancing.h"

namespace trainyard::wiring {
namespace {

constexpr std::uint32_t kMostTries = 8;  // for a way around failures
constexpr std::uint32_t kMostDetourTries = 64;
// How often a path is passed over for a mark and for a cut (uet-htsim, uec_mp.cpp).
constexpr std::uint8_t kPacketsOfMark = 1;
constexpr std::uint8_t kPacketsOfCut = 4;

}  // namespace

Paths::Paths(const Layout& layout, const LinkState& links, LoadBalancing choice, Picoseconds flowlet_gap,
             std::uint64_t seed, const std::vector<workload::Flow>& flows, std::uint32_t entropies,
             bool detours)
    : layout_(layout),
      links_(links),
      bound_(traits_of(choice).paths == FlowPaths::one),
      flows_(flows),
      detours_(detours),
      balancing_(layout, choice, flowlet_gap, seed, flows, entropies) {}

bool Paths::both_ends_up(std::uint32_t flow, std::uint32_t plane) const {
  if (!links_.known || links_.down.empty()) return true;
  return !links_.is_down(layout_.port_of_host(flows_[flow].from, plane)) &&
         !links_.is_down(layout_.port_of_host(flows_[flow].to, plane));
}

std::uint32_t Paths::choose(Way& packet, std::uint32_t from, std::uint32_t plane, bool back, Picoseconds now,
                            State& state) {
  if (layout_.uplinks_leaf == 0) return 0;
  std::uint32_t entropy = 0;
  balancing_.pick({packet, back, now, state, entropy});
  state.last = now;
  if (!layout_.routes.empty()) {
    packet.up_aggregation = 0;
    const std::uint64_t random = bound_ ? state.round : mixed(now, packet.sequence);
    if (detours_) go_first(packet, from, mixed(hash(packet.flow, back), random));
  }
  if (links_.known && !links_.down.empty()) avoid_failures(packet, from, plane, back);
  return balancing_.judges_entropies() ? entropy : way_of(packet.up_leaf, packet.up_aggregation);
}

void Paths::go_first(Way& packet, std::uint32_t from, std::uint64_t random) const {
  const Routes& routes = layout_.routes;
  const std::uint32_t here = routes.switch_of_leaf(leaf_of(layout_.address_of_host[from]));
  const std::uint32_t there = routes.switch_of_leaf(leaf_of(packet.to));
  const std::uint32_t leaf = detour(leaf_of(layout_.address_of_host[from]), leaf_of(packet.to), random);
  const std::uint32_t first = routes.switch_of_leaf(leaf);
  packet.up_aggregation =
      here == there || first == here || first == there ? std::uint16_t{0} : Routes::detour(leaf);
}

std::uint32_t Paths::detour(std::uint32_t from, std::uint32_t to, std::uint64_t random) const {
  const Devices& devices = layout_.devices;
  if (devices.empty()) return below(random, layout_.leaves);
  // Devices forward inside the HB domain of either end, or inside another one that the sender's own networks
  // reach.
  const std::uint64_t more = mixed(random);
  const auto size_of = [&](std::uint32_t d) {
    return devices.first_of_domain[d + 1] - devices.first_of_domain[d];
  };
  const std::uint32_t own = devices.domain[from];
  if (random % 3 == 0) {
    const auto domains = static_cast<std::uint32_t>(devices.first_of_domain.size() - 1);
    const std::uint32_t other = below(more, domains);
    const std::uint32_t rank = from - devices.first_of_domain[own];
    return devices.first_of_domain[other] + std::min(rank, size_of(other) - 1);
  }
  const std::uint32_t domain = random % 3 == 1 ? own : devices.domain[to];
  return devices.first_of_domain[domain] + below(more, size_of(domain));
}

void Paths::avoid_failures(Way& packet, std::uint32_t from, std::uint32_t plane, bool back) const {
  const auto is_cut = [&] { return !way_is_up(layout_, links_, from, plane, packet); };
  const std::uint64_t way = hash(packet.flow, back);
  // A flow of one path keeps to one: what overtakes it counts as lost with go-back-N.
  const std::uint64_t of_packet = bound_ ? 0 : std::uint64_t{packet.sequence} << 8U;
  for (std::uint32_t i = 0; i < kMostTries && is_cut(); ++i)
    balancing_.take(packet, mixed(way, i ^ of_packet));
  if (!layout_.routes.empty()) {
    const Way straight = packet;
    for (std::uint32_t i = 0; i < kMostDetourTries && is_cut(); ++i) go_first(packet, from, mixed(way, i));
    if (is_cut()) packet = straight;
    return;
  }
  // Luck may have missed the only way: all uplinks in turn.
  for (std::uint32_t i = 0; i < layout_.uplinks_leaf && is_cut(); ++i) {
    packet.up_leaf = static_cast<std::uint16_t>(i);
    for (std::uint32_t a = 0; a < layout_.uplinks_aggregation && is_cut(); ++a)
      packet.up_aggregation = static_cast<std::uint16_t>(a);
  }
}

void Paths::arrived(std::uint32_t flow, std::uint32_t way, bool congested) {
  if (congested) return balancing_.pass_over(flow, way, kPacketsOfMark);
  balancing_.keep(flow, way);
}

void Paths::cut(std::uint32_t flow, std::uint32_t way) { balancing_.pass_over(flow, way, kPacketsOfCut); }

void Paths::timed_out(std::uint32_t flow, Picoseconds until) { balancing_.freeze(flow, until); }

}  // namespace trainyard::wiring
