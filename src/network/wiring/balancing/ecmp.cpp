// All packets of a flow take the path of its hash, or the flow's own.
#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::ecmp(const Sending& sending) {
  const workload::Flow& flow = flows_[sending.packet.flow];
  const std::uint16_t path = sending.back ? flow.path_back : flow.path;
  if (path == workload::Flow::kPathOfHash)
    return take(sending.packet, hash(sending.packet.flow, sending.back));
  if (!layout_.routes.empty()) {
    sending.packet.up_leaf = number(sending, path);
    return;
  }
  const std::uint32_t aggregation = std::max(1U, layout_.uplinks_aggregation);
  sending.packet.up_leaf = static_cast<std::uint16_t>(path / aggregation);
  sending.packet.up_aggregation = static_cast<std::uint16_t>(path % aggregation);
}

}  // namespace trainyard::wiring
