#include "network/packet/transports/nscc.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_nscc(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Nscc> transport(setup, Nscc(input.nscc, setup.queues.trim));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
