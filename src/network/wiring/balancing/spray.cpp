// Every uplink or entropy once a round, from a random one on in random steps; the uplinks of each aggregation
// switch in turn, one a round, so that as many rounds as it has are a walk over all paths.
#include "network/wiring/paths.h"

namespace trainyard::wiring {

std::uint16_t Paths::next_of_round(const Sending& sending) const {
  const std::uint32_t round = sprayed_over();
  if (sending.state.left == 0) {
    const std::uint64_t way = hash(sending.packet.flow, sending.back);
    const std::uint64_t random = mixed(way ^ (std::uint64_t{sending.state.round++} << 40U));
    sending.state.next = static_cast<std::uint16_t>(below(random, round));
    sending.state.step = steps_[below(mixed(random), static_cast<std::uint32_t>(steps_.size()))];
    sending.state.left = static_cast<std::uint16_t>(round);
  }
  const std::uint16_t path = sending.state.next;
  --sending.state.left;
  const std::uint32_t next = std::uint32_t{sending.state.next} + sending.state.step;
  sending.state.next = static_cast<std::uint16_t>(next < round ? next : next - round);
  return path;
}

void Paths::spray(const Sending& sending) {
  const std::uint64_t way = hash(sending.packet.flow, sending.back);
  const std::uint16_t path = next_of_round(sending);
  sending.packet.up_leaf = number(sending, path);
  if (entropies_ != 0) return take(sending.packet, mixed(way, path));
  if (layout_.uplinks_aggregation > 0) {
    const std::uint32_t all = layout_.uplinks_aggregation;
    const std::uint32_t walk = sending.state.round / all;
    const std::uint64_t salt = way ^ ((std::uint64_t{walk} << 16U) | path);
    const std::uint32_t first = below(mixed(salt), all);
    sending.packet.up_aggregation = static_cast<std::uint16_t>((first + sending.state.round) % all);
  }
}

}  // namespace trainyard::wiring
