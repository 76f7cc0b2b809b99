#include "network/packet/transports/hpcc.h"

#include <fmt/core.h>

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"
#include "trainyard/errors.h"

namespace trainyard::packet {

template <class Law>
static RunOutcome run_hpcc_law(const TransportSetup& setup, const TransportsInput& input,
                               const WindowTick& tick) {
  Acked<Law> transport(setup, Law(input.hpcc));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

static RunOutcome run_hpcc(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  const std::uint32_t switches = setup.most_switches();
  if (switches <= NearHpcc::Packet::kMostHops) return run_hpcc_law<NearHpcc>(setup, input, tick);
  if (switches <= Hpcc::Packet::kMostHops) return run_hpcc_law<Hpcc>(setup, input, tick);
  constexpr std::uint32_t kMost = FarHpcc::Packet::kMostHops;
  if (switches > kMost)
    fail_input(
        whole("simulation.transport"),
        fmt::format("hpcc's packets have room for {} switches, and ways over this network pass up to {}",
                    kMost, switches),
        "swift, dctcp or another transport without telemetry of switches");
  return run_hpcc_law<FarHpcc>(setup, input, tick);
}

static std::vector<IdleSetting> idle_beside_hpcc(const SimulationInput&, const TransportsInput& input) {
  if (!input.hpcc.increase) return {};
  return {{"hpcc", "flows_expected", "hpcc.increase says the step", "hpcc.increase = \"auto\""}};
}

TransportTraits hpcc_traits() {
  return {.run = run_hpcc,
          .load_balancing = LoadBalancing::ecmp,
          .keeps_connections = true,
          .pause = HpccInput::kLossless,
          .goes_back = true,
          .idle = idle_beside_hpcc};
}

template RunOutcome run_transport(const TransportSetup&, Acked<NearHpcc>&, std::uint32_t, const WindowTick&);
template RunOutcome run_transport(const TransportSetup&, Acked<Hpcc>&, std::uint32_t, const WindowTick&);
template RunOutcome run_transport(const TransportSetup&, Acked<FarHpcc>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
