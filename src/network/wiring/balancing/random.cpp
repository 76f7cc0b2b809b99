// Every packet takes a random path.
#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::random(const Sending& sending) {
  ++sending.state.round;
  take(sending.packet, mixed(hash(sending.packet.flow, sending.back),
                             (std::uint64_t{sending.packet.sequence} << 16U) | sending.state.round));
}

}  // namespace trainyard::wiring
