#include "network/packet/transports/hpcc.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_hpcc(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Hpcc> transport(setup, Hpcc(input.hpcc));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
