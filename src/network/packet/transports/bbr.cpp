#include "network/packet/transports/bbr.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_bbr(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Bbr> transport(setup, Bbr(input.bbr));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
