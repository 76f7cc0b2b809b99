// A new path after a gap in sending (Vanini et al. 2017).
#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::flowlet(const Sending& sending) {
  if (sending.now > sending.state.last + flowlet_gap_) ++sending.state.round;
  take(sending.packet, mixed(hash(sending.packet.flow, sending.back), sending.state.round));
}

}  // namespace trainyard::wiring
