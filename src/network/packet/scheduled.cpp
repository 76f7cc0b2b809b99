#include "network/packet/scheduled.h"

#include "network/packet/run_transport.h"
#include "network/packet/transports.h"

namespace trainyard::packet {
namespace {

RunOutcome run_with(const TransportSetup& setup, const ScheduledInput& input, BlockCode code,
                    const WindowTick& tick) {
  Scheduled transport(
      setup, code,
      {input.utilization, static_cast<std::uint32_t>(input.most_flows), /*wire_factor=*/1, /*steps=*/{}});
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

}  // namespace

RunOutcome run_scheduled(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  return run_with(setup, input.scheduled, {}, tick);
}

RunOutcome run_fec(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  const BlockCode code{static_cast<std::uint32_t>(input.fec.data),
                       static_cast<std::uint32_t>(input.fec.parity)};
  return run_with(setup, input.scheduled, code, tick);
}

}  // namespace trainyard::packet
