#include "network/packet/transports/cubic.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_cubic(const TransportSetup& setup, const TransportsInput& input,
                            const WindowTick& tick) {
  Acked<Cubic> transport(setup, Cubic(input.cubic));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

TransportTraits cubic_traits() {
  return {
      .run = run_cubic, .load_balancing = LoadBalancing::ecmp, .keeps_connections = true, .by_window = true};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Cubic>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
