#include "network/packet/transports/credits.h"

#include <algorithm>
#include <vector>

#include "network/packet/transports/run_transport.h"

namespace trainyard::packet {

CreditSenders::CreditSenders(const TransportSetup& setup, CreditEnds& ends)
    : timeout_(setup.timeout),
      ends_(ends),
      turns_(setup.layout, ends.paths.bound_to_plane()),
      silences_(ends.forgets() ? setup.flows.size() : 0, timeout_) {
  for (std::uint32_t f = 0; !ends.messages.any() && f < setup.flows.size(); ++f)
    ends.senders[f].packets = ends.packets.count(f);
}

std::uint32_t CreditSender::go_back() {
  const std::uint32_t first = acknowledged.first_missing();
  const std::uint32_t lost = next - std::min(next, first);
  next = first;
  return lost;
}

void CreditSenders::check_restored(Picoseconds now) const {
  ends_.check_senders();
  silences_.check_restored(now, [&](std::uint32_t flow) { return ends_.packets.count(flow); });
  for (std::uint32_t f = 0; f < ends_.senders.size(); ++f)
    keep_bounds(ends_.senders[f].sent.in_bounds(ends_.packets.count(f), now));
  ends_.check_turns(turns_);
}

void Credits::check_restored(Picoseconds now) const {
  senders_.check_restored(now);
  ends_.messages.check_restored(
      [&](std::uint32_t flow, std::uint32_t sequence) {
        return !ends_.receivers[flow].received.has(sequence);
      },
      [&](std::uint32_t flow, std::uint32_t sequence) {
        return !ends_.senders[flow].acknowledged.has(sequence);
      });
  for (std::uint32_t f = 0; f < ends_.receivers.size(); ++f)
    keep_bounds(ends_.receivers[f].latest < std::max(ends_.packets.count(f), 1U));
  for (std::uint32_t h = 0; h < ends_.hosts.size(); ++h) {
    const auto receives = [&](std::uint32_t flow) { return ends_.receives(h, flow); };
    keep_all(ends_.hosts[h].repeating, receives);
    keep_all(ends_.hosts[h].active, receives);
    keep_all(ends_.hosts[h].resting, receives);
    keep_bounds(is_time(ends_.hosts[h].next_pull) && ends_.hosts[h].rate.in_bounds());
    ends_.check_timers(h, ends_.hosts[h].timeouts);
  }
}

RunOutcome run_credits(const TransportSetup& setup, Credits& transport, const WindowTick& tick) {
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

template RunOutcome run_transport(const TransportSetup&, Credits&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
