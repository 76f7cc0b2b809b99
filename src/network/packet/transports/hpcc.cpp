#include "network/packet/transports/hpcc.h"

#include <fmt/core.h>

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"
#include "trainyard/errors.h"

namespace trainyard::packet {

static RunOutcome run_hpcc(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  if (setup.most_switches() > HpccPacket::kMostHops)
    fail_input(
        whole("simulation.transport"),
        fmt::format("hpcc's packets have room for {} switches, and ways over this network pass up to {}",
                    HpccPacket::kMostHops, setup.most_switches()),
        "swift, dctcp or another transport without telemetry of switches");
  Acked<Hpcc> transport(setup, Hpcc(input.hpcc));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

TransportTraits hpcc_traits() {
  return {.run = run_hpcc,
          .load_balancing = LoadBalancing::ecmp,
          .keeps_connections = true,
          .pause = HpccInput::kLossless,
          .goes_back = true};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Hpcc>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
