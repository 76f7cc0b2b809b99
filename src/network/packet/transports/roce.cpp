#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_roce(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Roce<true>> transport(setup, Roce<true>(input.dcqcn));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
