#include "network/packet/transports/dctcp.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_dctcp(const TransportSetup& setup, const TransportsInput& input,
                            const WindowTick& tick) {
  Acked<Dctcp> transport(setup, Dctcp(input.dctcp));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

/// Marks begin at 15 packets of 100, as htsim's.
TransportTraits dctcp_traits() {
  return {.run = run_dctcp,
          .load_balancing = LoadBalancing::ecmp,
          .keeps_connections = true,
          .mark_from = 0.15,
          .mark_all = 0.15,
          .mark_leaving = true,
          .by_window = true};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Dctcp>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
