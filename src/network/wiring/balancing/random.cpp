// Every packet takes a random path.
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void random(Balancing& balancing, const Sending& sending) {
  ++sending.state.round;
  balancing.take(sending.packet,
                 mixed(balancing.hash(sending.packet.flow, sending.back),
                       (std::uint64_t{sending.packet.sequence} << 16U) | sending.state.round));
}

}  // namespace trainyard::wiring::balancings
