#include "network/wiring/balancing/balancing.h"

#include <algorithm>
#include <numeric>

#include "network/wiring/layout.h"
#include "trainyard/load_balancing.h"

namespace trainyard::wiring {

/// Each in a file of its own.
namespace balancings {
#define TRAINYARD_LOAD_BALANCING(name, ...) void name(Balancing& balancing, const Sending& sending);
#include "trainyard/registries/load_balancings.def"
}  // namespace balancings

namespace {

constexpr std::uint32_t kUsualEntropies = 64;  // of bitmap, as uet-htsim
constexpr std::uint8_t kMostPenalty = 15;

}  // namespace

Balancing::Balancing(const Layout& layout, LoadBalancing choice, Picoseconds flowlet_gap, std::uint64_t seed,
                     const std::vector<workload::Flow>& flows, std::uint32_t entropies)
    : layout_(layout),
      uplinks_leaf_(layout.uplinks_leaf),
      uplinks_aggregation_(layout.uplinks_aggregation),
      by_routes_(!layout.routes.empty()),
      uplink_shares_(layout.uplink_shares),
      choice_(choice),
      flowlet_gap_(flowlet_gap),
      seed_(mixed(seed)),
      flows_(flows),
      own_paths_(std::any_of(flows.begin(), flows.end(),
                             [](const workload::Flow& flow) {
                               return flow.path != workload::Flow::kPathOfHash ||
                                      flow.path_back != workload::Flow::kPathOfHash;
                             })),
      entropies_(entropies == 0 && traits_of(choice).passes_over ? kUsualEntropies : entropies) {
  constexpr std::uint32_t kMostPackets = 0xFFFF;  // of a round
  const std::uint32_t round = sprayed_over();
  // Packets that go by one plane after the other would meet in each the same few uplinks of a round.
  if (entropies_ == 0 && round > 0)
    in_a_row_ = std::clamp(layout.planes, 1U, std::max(1U, kMostPackets / round));
  for (std::uint32_t step = 1; step <= round; ++step) {
    if (std::gcd(step, round) == 1) steps_.push_back(static_cast<std::uint16_t>(step));
  }
  if (traits_of(choice).recycles) caches_.resize(flows.size());
  if (traits_of(choice).passes_over) penalties_.resize(flows.size() * sprayed_over());
}

void Balancing::pick(const Sending& sending) {
  switch (choice_) {
#define TRAINYARD_LOAD_BALANCING(name, ...) \
  case LoadBalancing::name:                 \
    return balancings::name(*this, sending);
#include "trainyard/registries/load_balancings.def"
  }
}

std::uint32_t Balancing::host_at(std::uint32_t address) const {
  return layout_.host_at(leaf_of(address), wiring::host_of(address));
}

std::uint16_t Balancing::number(const Sending& sending, std::uint32_t path) const {
  if (!by_routes_) return static_cast<std::uint16_t>(path);
  const workload::Flow& flow = flows_[sending.packet.flow];
  const std::uint32_t from = layout_.address_of_host[sending.back ? flow.to : flow.from];
  return layout_.routes.number(path, leaf_of(from), leaf_of(sending.packet.to));
}

std::uint16_t Balancing::next_of_round(const Sending& sending) const {
  const std::uint32_t round = sprayed_over();
  PathState& state = sending.state;
  if (state.left == 0) {
    const std::uint64_t way = hash(sending.packet.flow, sending.back);
    const std::uint64_t random = mixed(way ^ (std::uint64_t{state.round++} << 40U));
    state.next = static_cast<std::uint16_t>(below(random, round));
    state.step = steps_[below(mixed(random), static_cast<std::uint32_t>(steps_.size()))];
    state.left = static_cast<std::uint16_t>(packets_of_round());
  }
  const std::uint16_t path = state.next;
  if (--state.left % in_a_row_ != 0) return path;
  const std::uint32_t next = std::uint32_t{state.next} + state.step;
  state.next = static_cast<std::uint16_t>(next < round ? next : next - round);
  return path;
}

bool Balancing::recycle(const Sending& sending) {
  Cache& cache = caches_[sending.packet.flow];
  const bool frozen = sending.now < cache.frozen_until && cache.put > 0;
  if (cache.valid == 0 && !frozen) return false;
  std::uint32_t at = 0;
  if (cache.valid > 0) {
    at = (cache.put - cache.valid) % Cache::kSize;
    --cache.valid;
  } else {
    // With entropies in turn `next` is a place in their round.
    std::uint16_t& turn = judges_entropies() ? sending.state.round : sending.state.next;
    at = turn++ % std::min(cache.put, Cache::kSize);
  }
  if (judges_entropies()) {
    take_entropy(sending, cache.ways[at]);
    return true;
  }
  sending.packet.up_leaf = static_cast<std::uint16_t>(cache.ways[at] >> 16U);
  sending.packet.up_aggregation = static_cast<std::uint16_t>(cache.ways[at] & 0xFFFFU);
  return true;
}

void Balancing::keep(std::uint32_t flow, std::uint32_t way) {
  if (caches_.empty()) return;
  Cache& cache = caches_[flow];
  cache.ways[cache.put++ % Cache::kSize] = way;
  if (cache.valid < Cache::kSize) ++cache.valid;
}

void Balancing::pass_over(std::uint32_t flow, std::uint32_t entropy, std::uint8_t packets) {
  if (!judges_entropies()) return;
  std::uint8_t& penalty = penalties(flow)[entropy];
  penalty =
      static_cast<std::uint8_t>(std::min<std::uint32_t>(kMostPenalty, std::uint32_t{penalty} + packets));
}

bool Balancing::is_way(std::uint32_t way) const {
  return layout_.is_way(static_cast<std::uint16_t>(way >> 16U), static_cast<std::uint16_t>(way));
}

bool Balancing::in_bounds(const PathState& state, bool back) const {
  const LoadBalancingTraits traits = traits_of(choice_);
  const bool sprays = traits.in_rounds || (traits.recycles && back);
  return !sprays || uplinks_leaf_ == 0 ||
         (state.next < sprayed_over() && state.step <= sprayed_over() && state.left <= packets_of_round());
}

}  // namespace trainyard::wiring
