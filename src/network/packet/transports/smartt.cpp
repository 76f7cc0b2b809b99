#include "network/packet/transports/smartt.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_smartt(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Smartt> transport(setup, Smartt(input.smartt));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
