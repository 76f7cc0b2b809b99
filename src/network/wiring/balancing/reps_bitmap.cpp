// Recycled entropies, and where none has come back, those that were not marked lately (uet-htsim,
// uec_mp.cpp).
#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::reps_bitmap(const Sending& sending) {
  if (sending.back) return spray(sending);
  if (!recycle(sending)) bitmap(sending);
}

}  // namespace trainyard::wiring
