#include "network/packet/dctcp.h"

#include "network/packet/run_transport.h"
#include "network/packet/transports.h"

namespace trainyard::packet {

RunOutcome run_dctcp(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Dctcp> transport(setup, Dctcp(input.dctcp));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
