// Recycled entropies (Bonato et al. 2024): paths that came back unmarked are used again.
#include <algorithm>

#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::reps(const Sending& sending) {
  if (sending.back) return spray(sending);
  if (recycle(sending)) return;
  ++sending.state.round;
  take(sending.packet, mixed(hash(sending.packet.flow, false), sending.state.round));
}

bool Paths::recycle(const Sending& sending) {
  Cache& cache = caches_[sending.packet.flow];
  const bool frozen = sending.now < cache.frozen_until && cache.put > 0;
  if (cache.valid == 0 && !frozen) return false;
  std::uint32_t at = 0;
  if (cache.valid > 0) {
    at = (cache.put - cache.valid) % Cache::kSize;
    --cache.valid;
  } else {
    // With entropies in turn `next` is a place in their round.
    std::uint16_t& turn = passes_over(choice_) ? sending.state.round : sending.state.next;
    at = turn++ % std::min(cache.put, Cache::kSize);
  }
  sending.packet.up_leaf = static_cast<std::uint16_t>(cache.ways[at] >> 16U);
  sending.packet.up_aggregation = static_cast<std::uint16_t>(cache.ways[at] & 0xFFFFU);
  return true;
}

}  // namespace trainyard::wiring
