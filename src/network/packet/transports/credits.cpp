#include "network/packet/transports/credits.h"

namespace trainyard::packet {

Credits::Credits(const TransportSetup& setup, const CreditRules& rules)
    : rules_(rules),
      timeout_(setup.timeout),
      credit_time_(setup.credit_gap(rules.rate)),
      ends_(setup),
      turns_(setup.layout, ends_.paths.bound_to_plane()) {
  for (std::uint32_t f = 0; f < setup.flows.size(); ++f) ends_.senders[f].packets = ends_.packets.count(f);
}

void Credits::settle(Sender& sender, std::uint32_t sequence) {
  if (sender.acknowledged.add(sequence)) ++sender.count;
}

void Credits::check_restored(Picoseconds) const {
  ends_.check_senders();
  ends_.check_turns(turns_);
  for (std::uint32_t h = 0; h < ends_.hosts.size(); ++h) {
    const auto receives = [&](std::uint32_t flow) { return ends_.receives(h, flow); };
    keep_all(ends_.hosts[h].repeating, receives);
    keep_all(ends_.hosts[h].active, receives);
    keep_bounds(is_time(ends_.hosts[h].next_pull));
    ends_.check_timers(h, ends_.hosts[h].timeouts);
  }
}

}  // namespace trainyard::packet
