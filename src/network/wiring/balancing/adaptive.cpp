// Switches take the uplink with the shortest queue; what the packet carries counts where they do not.
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void adaptive(Balancing& balancing, const Sending& sending) { random(balancing, sending); }

}  // namespace trainyard::wiring::balancings
