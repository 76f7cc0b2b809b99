#include "network/wiring/paths.h"

#include <algorithm>
#include <numeric>

namespace trainyard::wiring {
namespace {

constexpr std::uint32_t kMostTries = 8;  // for a way around failures

constexpr std::uint32_t way_of(std::uint16_t up_leaf, std::uint16_t up_aggregation) {
  return (std::uint32_t{up_leaf} << 16U) | up_aggregation;
}

}  // namespace

Paths::Paths(const Layout& layout, const LinkState& links, LoadBalancing choice, Picoseconds flowlet_gap,
             std::uint64_t seed, const std::vector<workload::Flow>& flows, std::uint32_t entropies)
    : layout_(layout),
      links_(links),
      choice_(choice),
      bound_(choice == LoadBalancing::ecmp || choice == LoadBalancing::flowlet ||
             choice == LoadBalancing::fixed),
      flowlet_gap_(flowlet_gap),
      seed_(mixed(seed)),
      flows_(flows),
      entropies_(entropies) {
  const std::uint32_t round = sprayed_over();
  for (std::uint32_t step = 1; step <= round; ++step) {
    if (std::gcd(step, round) == 1) steps_.push_back(static_cast<std::uint16_t>(step));
  }
  if (choice == LoadBalancing::reps) caches_.resize(flows.size());
}

void Paths::choose(Way& packet, std::uint32_t from, std::uint32_t plane, bool back, Picoseconds now,
                   State& state) {
  if (layout_.uplinks_leaf == 0) return;
  pick(packet, back, now, state);
  state.last = now;
  if (!links_.known || links_.down.empty()) return;
  for (std::uint32_t i = 0; i < kMostTries && !way_is_up(layout_, links_, from, plane, packet); ++i)
    take(packet, mixed(hash(packet.flow, back), i ^ (std::uint64_t{packet.sequence} << 8U)));
  // Luck may have missed the only way: all uplinks in turn.
  for (std::uint32_t i = 0; i < layout_.uplinks_leaf && !way_is_up(layout_, links_, from, plane, packet);
       ++i) {
    packet.up_leaf = static_cast<std::uint16_t>(i);
    for (std::uint32_t a = 0;
         a < layout_.uplinks_aggregation && !way_is_up(layout_, links_, from, plane, packet); ++a)
      packet.up_aggregation = static_cast<std::uint16_t>(a);
  }
}

void Paths::pick(Way& packet, bool back, Picoseconds now, State& state) {
  switch (choice_) {
    case LoadBalancing::ecmp:
      return take_own(packet, back);
    case LoadBalancing::flowlet:
      if (now > state.last + flowlet_gap_) ++state.round;
      return take(packet, mixed(hash(packet.flow, back), state.round));
    case LoadBalancing::random:
    case LoadBalancing::adaptive:
      ++state.round;
      return take(packet,
                  mixed(hash(packet.flow, back), (std::uint64_t{packet.sequence} << 16U) | state.round));
    case LoadBalancing::spray:
      return spray(packet, back, state);
    case LoadBalancing::fixed:
      packet.up_leaf = static_cast<std::uint16_t>(host_of(packet.to) % layout_.uplinks_leaf);
      if (layout_.uplinks_aggregation > 0)
        packet.up_aggregation = static_cast<std::uint16_t>(leaf_of(packet.to) % layout_.uplinks_aggregation);
      return;
    case LoadBalancing::weighted:
      return weigh(packet, back, state);
    case LoadBalancing::reps:
      return back ? spray(packet, back, state) : recycle(packet, now, state);
  }
}

void Paths::take_own(Way& packet, bool back) const {
  const workload::Flow& flow = flows_[packet.flow];
  const std::uint16_t path = back ? flow.path_back : flow.path;
  if (path == workload::Flow::kPathOfHash) return take(packet, hash(packet.flow, back));
  const std::uint32_t aggregation = std::max(1U, layout_.uplinks_aggregation);
  packet.up_leaf = static_cast<std::uint16_t>(path / aggregation);
  packet.up_aggregation = static_cast<std::uint16_t>(path % aggregation);
}

/// Every uplink or entropy once a round, from a random one on in random steps.
void Paths::spray(Way& packet, bool back, State& state) const {
  const std::uint64_t way = hash(packet.flow, back);
  const std::uint32_t round = sprayed_over();
  if (state.left == 0) {
    const std::uint64_t random = mixed(way ^ (std::uint64_t{state.round++} << 40U));
    state.next = static_cast<std::uint16_t>(below(random, round));
    state.step = steps_[below(mixed(random), static_cast<std::uint32_t>(steps_.size()))];
    state.left = static_cast<std::uint16_t>(round);
  }
  packet.up_leaf = state.next;
  --state.left;
  const std::uint32_t next = std::uint32_t{state.next} + state.step;
  state.next = static_cast<std::uint16_t>(next < round ? next : next - round);
  if (entropies_ != 0) return take(packet, mixed(way, packet.up_leaf));
  if (layout_.uplinks_aggregation > 0) {
    const std::uint64_t salt = way ^ ((std::uint64_t{state.round} << 16U) | state.left);
    packet.up_aggregation = static_cast<std::uint16_t>(below(mixed(salt), layout_.uplinks_aggregation));
  }
}

/// Multiples of the golden ratio fall evenly into any shares (Weyl 1916; Knuth, TAOCP 3, section 6.4).
void Paths::weigh(Way& packet, bool back, State& state) const {
  constexpr std::uint32_t kGoldenRatio = 0x9E3779B9;  // of 2^32
  const std::uint64_t way = hash(packet.flow, back);
  const std::uint32_t count = (std::uint32_t{state.round} << 16U) | state.left;
  if (++state.left == 0) ++state.round;
  const auto place = static_cast<std::uint32_t>(way) + count * kGoldenRatio;
  const std::vector<std::uint32_t>& shares = layout_.uplink_shares;
  const auto way_up = shares.empty()
                          ? below(std::uint64_t{place} << 32U, layout_.uplinks_leaf)
                          : std::lower_bound(shares.begin(), shares.end() - 1, place) - shares.begin();
  packet.up_leaf = static_cast<std::uint16_t>(way_up);
  if (layout_.uplinks_aggregation > 0)
    packet.up_aggregation = static_cast<std::uint16_t>(below(mixed(way, count), layout_.uplinks_aggregation));
}

void Paths::recycle(Way& packet, Picoseconds now, State& state) {
  Cache& cache = caches_[packet.flow];
  const bool frozen = now < cache.frozen_until && cache.put > 0;
  if (cache.valid == 0 && !frozen) {
    ++state.round;
    return take(packet, mixed(hash(packet.flow, false), state.round));
  }
  std::uint32_t at = 0;
  if (cache.valid > 0) {
    at = (cache.put - cache.valid) % Cache::kSize;
    --cache.valid;
  } else {
    at = state.next++ % std::min(cache.put, Cache::kSize);
  }
  packet.up_leaf = static_cast<std::uint16_t>(cache.ways[at] >> 16U);
  packet.up_aggregation = static_cast<std::uint16_t>(cache.ways[at] & 0xFFFFU);
}

void Paths::arrived(std::uint32_t flow, std::uint16_t up_leaf, std::uint16_t up_aggregation, bool congested) {
  if (caches_.empty() || congested) return;
  Cache& cache = caches_[flow];
  cache.ways[cache.put++ % Cache::kSize] = way_of(up_leaf, up_aggregation);
  if (cache.valid < Cache::kSize) ++cache.valid;
}

void Paths::timed_out(std::uint32_t flow, Picoseconds until) {
  if (!caches_.empty()) caches_[flow].frozen_until = until;
}

}  // namespace trainyard::wiring
