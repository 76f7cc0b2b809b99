#include "network/packet/transports/hpcc.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_hpcc(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  Acked<Hpcc> transport(setup, Hpcc(input.hpcc));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

TransportTraits hpcc_traits() {
  return {.run = run_hpcc,
          .load_balancing = LoadBalancing::ecmp,
          .pause = HpccInput::kLossless,
          .goes_back = true};
}

}  // namespace trainyard::packet
