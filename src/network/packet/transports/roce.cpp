#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_roce(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  Acked<Roce<true>> transport(setup, Roce<true>(input.dcqcn));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

static std::vector<IdleSetting> idle_beside_roce(const SimulationInput&, const TransportsInput& input) {
  if (input.dcqcn.enabled) return {};
  return {{"dcqcn", "", "dcqcn.enabled is false", "dcqcn.enabled = true", "enabled"}};
}

/// Marks begin at 16 packets of 100, as htsim's.
TransportTraits roce_traits() {
  return {.run = run_roce,
          .load_balancing = LoadBalancing::ecmp,
          .keeps_connections = true,
          .mark_from = 0.16,
          .mark_all = 0.16,
          .pause = DcqcnInput::kLossless,
          .goes_back = true,
          .idle = idle_beside_roce};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Roce<true>>&, std::uint32_t,
                                  const WindowTick&);

}  // namespace trainyard::packet
