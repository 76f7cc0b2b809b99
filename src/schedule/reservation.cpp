#include "schedule/reservation.h"

#include <limits>

namespace trainyard::schedule {

Reservation::Reservation(const Machines& machines, std::int64_t devices, std::span<const Release> releases)
    : then_(machines), devices_(devices), at_s_(std::numeric_limits<double>::infinity()) {
  for (const Release& release : releases) {
    if (release.at_s > at_s_) return;  // what comes free at that very time is free then
    if (release.placement != nullptr)
      then_.give_back(*release.placement);
    else
      then_.restore(release.repaired);
    if (release.at_s < at_s_ && then_.fits(devices_)) at_s_ = release.at_s;
  }
}

bool Reservation::admits(const Placement& placement, double ends_s) const {
  if (ends_s <= at_s_) return true;
  Machines after = then_;
  after.take(placement);
  return after.fits(devices_);
}

void Reservation::start(const Placement& placement, double ends_s) {
  if (ends_s > at_s_) then_.take(placement);
}

}  // namespace trainyard::schedule
