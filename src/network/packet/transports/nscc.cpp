#include "network/packet/transports/nscc.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"
#include "network/packet/transports/unreliable.h"

namespace trainyard::packet {

template <class Law>
static RunOutcome run_law(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Acked<Law> transport(setup, Law(input.nscc, setup.queues.trim));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

static RunOutcome run_nscc(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  switch (setup.delivery) {
    case Delivery::rod:
      return run_law<OrderedNscc>(setup, input, tick);
    case Delivery::uud:
      return run_unreliable(setup, tick);
    case Delivery::rud:
    case Delivery::rudi:
      break;
  }
  if (setup.packets_per_ack <= 1) return run_law<PromptNscc>(setup, input, tick);
  return run_law<Nscc>(setup, input, tick);
}

/// Marks at a fifth and four fifths of the queue, as uet-htsim.
TransportTraits nscc_traits() {
  return {.run = run_nscc,
          .load_balancing = LoadBalancing::reps,
          .deliveries = {Delivery::rud, Delivery::rod, Delivery::rudi, Delivery::uud},
          .keeps_connections = true,
          .trim = true,
          .mark_from = 0.2,
          .mark_all = 0.8,
          .mark_leaving = true,
          .acknowledgements_first = true,
          .timeout_queues = kQueuesOfTimeout};
}

template RunOutcome run_transport(const TransportSetup&, Acked<PromptNscc>&, std::uint32_t,
                                  const WindowTick&);
template RunOutcome run_transport(const TransportSetup&, Acked<Nscc>&, std::uint32_t, const WindowTick&);
template RunOutcome run_transport(const TransportSetup&, Acked<OrderedNscc>&, std::uint32_t,
                                  const WindowTick&);

}  // namespace trainyard::packet
