#include "network/packet/transports/smartt.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_smartt(const TransportSetup& setup, const TransportsInput& input,
                             const WindowTick& tick) {
  Acked<Smartt> transport(setup, Smartt(input.smartt));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

/// Marks as uet-htsim.
TransportTraits smartt_traits() {
  return {.run = run_smartt,
          .load_balancing = LoadBalancing::reps,
          .keeps_connections = true,
          .trim = true,
          .mark_from = 0.2,
          .mark_all = 0.8,
          .mark_leaving = true,
          .acknowledgements_first = true};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Smartt>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
