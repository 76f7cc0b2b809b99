#include "network/packet/transports/swift.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"
#include "trainyard/errors.h"

namespace trainyard::packet {

static RunOutcome run_swift(const TransportSetup& setup, const TransportsInput& input,
                            const WindowTick& tick) {
  Acked<Swift> transport(setup, Swift(input.swift));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

static void check_swift(const TransportsInput& input) {
  const SwiftInput usual;
  const SwiftInput& given = input.swift;
  if (given.flow_window_low < given.flow_window_high) return;
  const bool by_high = given.flow_window_low == usual.flow_window_low;
  fail_input(whole(by_high ? "swift.flow_window_high" : "swift.flow_window_low"),
             by_high ? "not above swift.flow_window_low" : "not below swift.flow_window_high",
             "the target grows from the one to the other");
}

TransportTraits swift_traits() {
  return {.run = run_swift,
          .load_balancing = LoadBalancing::ecmp,
          .keeps_connections = true,
          .by_window = true,
          .check = check_swift};
}

template RunOutcome run_transport(const TransportSetup&, Acked<Swift>&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
