// Recycled entropies, and where none has come back, those that were not marked lately (uet-htsim,
// uec_mp.cpp).
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void reps_bitmap(Balancing& balancing, const Sending& sending) {
  if (sending.back) return spray(balancing, sending);
  if (!balancing.recycle(sending)) bitmap(balancing, sending);
}

}  // namespace trainyard::wiring::balancings
