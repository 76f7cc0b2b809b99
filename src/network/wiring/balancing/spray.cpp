// Every uplink or entropy once a round, an uplink in every plane, from a random one on in random steps; the
// uplinks of each aggregation switch in turn, one a round, so that as many rounds as it has are a walk over
// all paths.
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void spray(Balancing& balancing, const Sending& sending) {
  const std::uint64_t way = balancing.hash(sending.packet.flow, sending.back);
  const std::uint16_t path = balancing.next_of_round(sending);
  sending.packet.up_leaf = balancing.number(sending, path);
  if (balancing.entropies() != 0) return balancing.take(sending.packet, mixed(way, path));
  if (balancing.uplinks_aggregation() > 0) {
    const std::uint32_t all = balancing.uplinks_aggregation();
    const std::uint32_t walk = sending.state.round / all;
    const std::uint64_t salt = way ^ ((std::uint64_t{walk} << 16U) | path);
    const std::uint32_t first = below(mixed(salt), all);
    sending.packet.up_aggregation = static_cast<std::uint16_t>((first + sending.state.round) % all);
  }
}

}  // namespace trainyard::wiring::balancings
