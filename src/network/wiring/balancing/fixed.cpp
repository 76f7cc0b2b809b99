// The path is given by the destination alone.
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void fixed(Balancing& balancing, const Sending& sending) {
  Way& packet = sending.packet;
  if (balancing.by_routes()) {
    packet.up_leaf = balancing.number(sending, balancing.host_at(packet.to) % balancing.uplinks_leaf());
    return;
  }
  packet.up_leaf = static_cast<std::uint16_t>(host_of(packet.to) % balancing.uplinks_leaf());
  if (balancing.uplinks_aggregation() > 0)
    packet.up_aggregation = static_cast<std::uint16_t>(leaf_of(packet.to) % balancing.uplinks_aggregation());
}

}  // namespace trainyard::wiring::balancings
