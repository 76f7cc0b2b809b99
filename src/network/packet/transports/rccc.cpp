#include "network/packet/transports/credits.h"
#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

/// The window is 1.5 bandwidth-delay products, as in uet-htsim.
static RunOutcome run_rccc(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  constexpr double kProducts = 1.5;
  const double product = static_cast<double>(setup.longest_round_trip()) * setup.layout.planes /
                         static_cast<double>(setup.full_packet_time());
  Credits transport(setup, {static_cast<std::uint32_t>(kProducts * product) + 1,
                            static_cast<std::uint32_t>(input.rccc.credits_per_pull), input.rccc.credit_rate});
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

TransportTraits rccc_traits() {
  return {.run = run_rccc,
          .load_balancing = LoadBalancing::random,
          .trim = true,
          .acknowledgements_first = true,
          .by_credit = true};
}

}  // namespace trainyard::packet
