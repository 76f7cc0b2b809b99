#include "network/packet/transports/nscc.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_nscc(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  Acked<Nscc> transport(setup, Nscc(input.nscc, setup.queues.trim));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

/// Marks at a fifth and four fifths of the queue, as uet-htsim.
TransportTraits nscc_traits() {
  return {.run = run_nscc,
          .load_balancing = LoadBalancing::reps,
          .keeps_connections = true,
          .trim = true,
          .mark_from = 0.2,
          .mark_all = 0.8,
          .mark_leaving = true,
          .acknowledgements_first = true,
          .timeout_queues = kQueuesOfTimeout};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Nscc>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
