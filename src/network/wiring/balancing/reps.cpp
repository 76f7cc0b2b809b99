// Recycled entropies (Bonato et al. 2024): paths that came back unmarked are used again.
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void reps(Balancing& balancing, const Sending& sending) {
  if (sending.back) return spray(balancing, sending);
  if (balancing.recycle(sending)) return;
  ++sending.state.round;
  balancing.take(sending.packet, mixed(balancing.hash(sending.packet.flow, false), sending.state.round));
}

}  // namespace trainyard::wiring::balancings
