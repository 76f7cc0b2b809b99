#include "network/packet/transports/credits.h"
#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_eqds(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  Credits transport(setup, {setup.window_packets, static_cast<std::uint32_t>(input.eqds.credits_per_pull),
                            input.eqds.credit_rate});
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

TransportTraits eqds_traits() {
  return {.run = run_eqds,
          .load_balancing = LoadBalancing::random,
          .trim = true,
          .acknowledgements_first = true,
          .by_credit = true};
}

}  // namespace trainyard::packet
