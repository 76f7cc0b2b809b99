// scheduled, with parity packets beside each block of data (Rizzo 1997).
#include "network/packet/transports/scheduled.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

static RunOutcome run_fec(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  const BlockCode code{static_cast<std::uint32_t>(input.fec.data),
                       static_cast<std::uint32_t>(input.fec.parity)};
  return run_scheduled(setup, input.scheduled, code, tick);
}

static std::uint64_t parity_packets(const TransportsInput& input, std::uint64_t packets) {
  const auto data = static_cast<std::uint64_t>(input.fec.data);
  return (packets + data - 1) / data * static_cast<std::uint64_t>(input.fec.parity);
}

TransportTraits fec_traits() {
  return {.run = run_fec,
          .load_balancing = LoadBalancing::weighted,
          .names_ways = false,
          .beside = parity_packets,
          .idle = idle_beside_controller};
}

}  // namespace trainyard::packet
