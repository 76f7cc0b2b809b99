// EASY backfilling (Lifka 1995): the first of the queue has the earliest time at which it fits if all others
// end as estimated; who starts before it may not move that time.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/machines.h"

namespace trainyard::schedule {

/// Devices that come free: a job's, or a repaired domain.
struct Release {
  double at_s = 0;
  const Placement* placement = nullptr;
  std::int32_t repaired = -1;
};

class Reservation {
 public:
  /// `releases` in the order of their times.
  Reservation(const Machines& machines, std::int64_t devices, std::span<const Release> releases);

  /// False only for a job that admits() would refuse wherever it stands.
  bool may_admit(std::int64_t devices, double ends_s) const {
    return ends_s <= at_s_ || then_.free_devices() >= devices_ + devices;
  }
  /// Whether a job that would take this placement and end then leaves the reservation where it is.
  bool admits(const Placement& placement, double ends_s) const;
  /// Takes the devices of a job that is admitted and starts.
  void start(const Placement& placement, double ends_s);
  double at_s() const { return at_s_; }

 private:
  Machines then_;  // at that time
  std::int64_t devices_;
  double at_s_;
};

}  // namespace trainyard::schedule
