#include "network/packet/transports/smartt.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_smartt(const TransportSetup& setup, const TransportsInput& input,
                             const WindowTick& tick) {
  const auto run = [&]<class Law>(Law law) {
    Acked<Law> transport(setup, law);
    return run_transport(setup, transport, kDataPriority + 1, tick);
  };
  return setup.packets_per_ack <= 1 ? run(PromptSmartt(input.smartt)) : run(Smartt(input.smartt));
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

template RunOutcome run_transport(const TransportSetup&, Acked<PromptSmartt>&, std::uint32_t,
                                  const WindowTick&);
template RunOutcome run_transport(const TransportSetup&, Acked<Smartt>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
