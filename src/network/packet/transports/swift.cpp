#include "network/packet/transports/swift.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_swift(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Swift> transport(setup, Swift(input.swift));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace trainyard::packet
