// All packets of a flow take the path of its hash, or the flow's own.
#include <algorithm>

#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void ecmp(Balancing& balancing, const Sending& sending) {
  const std::uint16_t path = balancing.path_of(sending.packet.flow, sending.back);
  if (path == workload::Flow::kPathOfHash)
    return balancing.take(sending.packet, balancing.hash(sending.packet.flow, sending.back));
  if (balancing.by_routes()) {
    sending.packet.up_leaf = balancing.number(sending, path);
    return;
  }
  const std::uint32_t aggregation = std::max(1U, balancing.uplinks_aggregation());
  sending.packet.up_leaf = static_cast<std::uint16_t>(path / aggregation);
  sending.packet.up_aggregation = static_cast<std::uint16_t>(path % aggregation);
}

}  // namespace trainyard::wiring::balancings
