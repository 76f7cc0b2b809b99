// How long a run that does not get on is waited for, and how much may arrive in vain.
#pragma once

#include "trainyard/picoseconds.h"

namespace trainyard::packet {

struct TransportSetup;

struct Patience {
  Picoseconds silence = 0;  // nothing arrives
  double repeated = 0;      // bytes that arrive while no flow gets on, at least
};

/// No run that gets on is given up: where links lose packets at random senders try as often as bad luck can
/// ask for, and where links are slow packets take their time. Networks that lose so much that nothing is to
/// be expected before simulated time ends are not waited for.
Patience patience_of(const TransportSetup& setup, bool backs_off = true);
}  // namespace trainyard::packet
