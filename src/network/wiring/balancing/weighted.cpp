// Multiples of the golden ratio fall evenly into any shares (Weyl 1916; Knuth, TAOCP 3, section 6.4).
#include <algorithm>

#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void weighted(Balancing& balancing, const Sending& sending) {
  constexpr std::uint32_t kGoldenRatio = 0x9E3779B9;  // of 2^32
  const std::uint64_t way = balancing.hash(sending.packet.flow, sending.back);
  const std::uint32_t count = (std::uint32_t{sending.state.round} << 16U) | sending.state.left;
  if (++sending.state.left == 0) ++sending.state.round;
  const auto place = static_cast<std::uint32_t>(way) + count * kGoldenRatio;
  const std::vector<std::uint32_t>& shares = balancing.uplink_shares();
  const auto way_up = shares.empty()
                          ? below(std::uint64_t{place} << 32U, balancing.uplinks_leaf())
                          : std::lower_bound(shares.begin(), shares.end() - 1, place) - shares.begin();
  sending.packet.up_leaf = static_cast<std::uint16_t>(way_up);
  if (balancing.uplinks_aggregation() > 0)
    sending.packet.up_aggregation =
        static_cast<std::uint16_t>(below(mixed(way, count), balancing.uplinks_aggregation()));
}

}  // namespace trainyard::wiring::balancings
