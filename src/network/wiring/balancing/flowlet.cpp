// A new path after a gap in sending (Vanini et al. 2017).
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void flowlet(Balancing& balancing, const Sending& sending) {
  if (sending.now > sending.state.last + balancing.flowlet_gap()) ++sending.state.round;
  balancing.take(sending.packet,
                 mixed(balancing.hash(sending.packet.flow, sending.back), sending.state.round));
}

}  // namespace trainyard::wiring::balancings
