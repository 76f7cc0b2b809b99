#include "network/packet/transports/credits.h"

#include <algorithm>
#include <vector>

#include "network/packet/transports/run_transport.h"

namespace trainyard::packet {

Credits::Credits(const TransportSetup& setup, const CreditRules& rules)
    : rules_(rules),
      delivery_(setup.delivery),
      packets_per_ack_(forgets()                   ? 1
                       : setup.packets_per_ack > 0 ? setup.packets_per_ack
                                                   : kPacketsPerAck),
      timeout_(setup.timeout),
      credit_time_(setup.credit_gap(rules.rate)),
      ends_(setup),
      turns_(setup.layout, ends_.paths.bound_to_plane()),
      silences_(forgets() ? setup.flows.size() : 0, timeout_) {
  for (std::uint32_t f = 0; !ends_.messages.any() && f < setup.flows.size(); ++f)
    ends_.senders[f].packets = ends_.packets.count(f);
}

/// Repeats what was sent and is neither acknowledged nor to be repeated already; how many packets that are.
std::uint32_t Credits::lose_what_is_under_way(Sender& sender) const {
  std::vector<std::uint32_t> reported(sender.repeats.begin(), sender.repeats.end());
  std::sort(reported.begin(), reported.end());
  std::uint32_t lost = 0;
  for (std::uint32_t s = sender.acknowledged.first_missing(0); s < sender.next; ++s) {
    if (sender.acknowledged.has(s) || std::binary_search(reported.begin(), reported.end(), s)) continue;
    sender.repeats.push_back(s);
    ++lost;
  }
  return lost;
}

/// Sends what is not known to have arrived once more, in order; how many packets that are.
std::uint32_t Credits::go_back(Sender& sender) const {
  const std::uint32_t lost = sender.next - std::min(sender.next, sender.cumulative);
  sender.next = sender.cumulative;
  return lost;
}

void Credits::check_restored(Picoseconds now) const {
  ends_.check_senders();
  silences_.check_restored(now, [&](std::uint32_t flow) { return ends_.packets.count(flow); });
  ends_.messages.check_restored(
      [&](std::uint32_t flow, std::uint32_t sequence) {
        return !ends_.receivers[flow].received.has(sequence);
      },
      [&](std::uint32_t flow, std::uint32_t sequence) {
        return !ends_.senders[flow].acknowledged.has(sequence);
      });
  ends_.check_turns(turns_);
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
