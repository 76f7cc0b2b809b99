#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_irn(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  DcqcnInput rate = input.dcqcn;
  rate.enabled = input.irn.dcqcn;
  Acked<Roce<false>> transport(setup, Roce<false>(rate));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

/// DCQCN hears of nothing but marks: those that roce has.
static void mark_for_rates(TransportTraits& traits, const TransportsInput& input) {
  if (!input.irn.dcqcn) return;
  const TransportTraits& of_rates = traits_of(Transport::roce);
  traits.mark_from = of_rates.mark_from;
  traits.mark_all = of_rates.mark_all;
}

static std::vector<IdleSetting> idle_beside_irn(const SimulationInput&, const TransportsInput& input) {
  if (input.irn.dcqcn) return {{"dcqcn", "enabled", "irn.dcqcn says it", "simulation.transport = \"roce\""}};
  return {{"dcqcn", "", "irn.dcqcn is false: rates stay those of the links", "irn.dcqcn = true"}};
}

TransportTraits irn_traits() {
  return {.run = run_irn,
          .load_balancing = LoadBalancing::ecmp,
          .keeps_connections = true,
          .adapt = mark_for_rates,
          .idle = idle_beside_irn};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Roce<false>>&, std::uint32_t,
                                  const WindowTick&);

}  // namespace trainyard::packet
