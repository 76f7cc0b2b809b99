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

static std::vector<IdleSetting> idle_beside_nscc(const SimulationInput& input, const TransportsInput&) {
  const Delivery delivery = input.delivery.value_or(Delivery::rud);
  if (delivery == Delivery::uud)
    return {{"nscc", "", "with uud nothing controls a flow's window", "another simulation.delivery"}};
  if (delivery != Delivery::rud)
    return {{"nscc", "probes", "what is lost shows without them", "simulation.delivery = \"rud\""}};
  const bool trims = input.trim.value_or(true) && !input.pause.value_or(false) && !input.credit_buffer;
  if (trims) return {};
  return {
      {"nscc", "probes", "switches report no cuts", "simulation.trim = true, without pauses and credits"}};
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
          .timeout_queues = kQueuesOfTimeout,
          .idle = idle_beside_nscc};
}

template RunOutcome run_transport(const TransportSetup&, Acked<PromptNscc>&, std::uint32_t,
                                  const WindowTick&);
template RunOutcome run_transport(const TransportSetup&, Acked<Nscc>&, std::uint32_t, const WindowTick&);
template RunOutcome run_transport(const TransportSetup&, Acked<OrderedNscc>&, std::uint32_t,
                                  const WindowTick&);

}  // namespace trainyard::packet
