// The path is given by the destination alone.
#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::fixed(const Sending& sending) {
  Way& packet = sending.packet;
  if (!layout_.routes.empty()) {
    packet.up_leaf =
        number(sending, layout_.host_at(leaf_of(packet.to), host_of(packet.to)) % layout_.uplinks_leaf);
    return;
  }
  packet.up_leaf = static_cast<std::uint16_t>(host_of(packet.to) % layout_.uplinks_leaf);
  if (layout_.uplinks_aggregation > 0)
    packet.up_aggregation = static_cast<std::uint16_t>(leaf_of(packet.to) % layout_.uplinks_aggregation);
}

}  // namespace trainyard::wiring
