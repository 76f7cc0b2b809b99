#include "network/packet/hpcc.h"

#include "network/packet/run_transport.h"
#include "network/packet/transports.h"

namespace trainyard::packet {

RunOutcome run_hpcc(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Hpcc> transport(setup, Hpcc(input.hpcc));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
