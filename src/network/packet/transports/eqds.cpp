#include "network/packet/transports/credits.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_eqds(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  Credits transport(setup, {.window_packets = setup.window_packets,
                            .packets_per_pull = static_cast<std::uint32_t>(input.eqds.credits_per_pull),
                            .rate = input.eqds.credit_rate});
  return run_credits(setup, transport, tick);
}

TransportTraits eqds_traits() {
  return {.run = run_eqds,
          .load_balancing = LoadBalancing::random,
          .keeps_connections = true,
          .trim = true,
          .acknowledgements_first = true,
          .by_window = true,
          .timeout_queues = kQueuesOfTimeout};
}

}  // namespace trainyard::packet
