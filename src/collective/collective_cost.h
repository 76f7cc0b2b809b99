// What a collective costs each rank, as two numbers.
#pragma once

#include "trainyard/networks.h"
#include "trainyard/units.h"

namespace trainyard {

/// What a collective costs each rank.
struct CollectiveCost {
  double sent = 0;    // bytes that pass a rank's link one after another, over the buffer
  double rounds = 0;  // delays, one after another

  /// Of `buffer` bytes a rank; nothing takes no time.
  Seconds time(Bytes buffer, const NetworkRate& network) const {
    if (buffer.si() <= 0) return Seconds(0);
    return sent * buffer / network.rate + rounds * network.delay;
  }
};

}  // namespace trainyard
