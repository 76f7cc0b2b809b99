#include "network/packet/transports/unreliable.h"

#include "network/packet/transports/run_transport.h"

namespace trainyard::packet {

Unreliable::Unreliable(const TransportSetup& setup)
    : timeout_(setup.timeout),
      planes_(setup.layout.planes),
      ends_(setup),
      turns_(setup.layout, ends_.paths.bound_to_plane(), setup.seed) {}

void Unreliable::check_restored(Picoseconds) const {
  for (std::uint32_t f = 0; f < ends_.senders.size(); ++f) {
    keep_bounds(ends_.senders[f].next <= ends_.packets.count(f));
    keep_bounds(ends_.receivers[f].bytes <= ends_.flows[f].bytes);
  }
  ends_.check_paths();
  ends_.check_turns(turns_);
  keep_bounds(turns_.all([&](std::uint32_t, std::uint32_t flow) {
    return ends_.senders[flow].next < ends_.packets.count(flow);
  }));
}

std::vector<std::uint64_t> Unreliable::lost_bytes() const {
  std::vector<std::uint64_t> out;
  for (std::uint32_t f = 0; f < ends_.flows.size(); ++f) {
    const std::uint64_t bytes = ends_.flows[f].bytes;
    out.push_back(bytes - std::min(bytes, ends_.receivers[f].bytes));
  }
  return out;
}

RunOutcome run_unreliable(const TransportSetup& setup, const WindowTick& tick) {
  Unreliable transport(setup);
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

template RunOutcome run_transport(const TransportSetup&, Unreliable&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
