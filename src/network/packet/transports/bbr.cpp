#include "network/packet/transports/bbr.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_bbr(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Bbr> transport(setup, Bbr(input.bbr));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

TransportTraits bbr_traits() {
  return {
      .run = run_bbr, .load_balancing = LoadBalancing::ecmp, .keeps_connections = true, .by_window = true};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Bbr>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
