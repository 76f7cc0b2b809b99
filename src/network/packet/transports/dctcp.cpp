#include "network/packet/transports/dctcp.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_dctcp(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Dctcp> transport(setup, Dctcp(input.dctcp));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
