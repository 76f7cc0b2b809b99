#include "network/packet/transports/ndp.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

Ndp::Ndp(const TransportSetup& setup, const NdpInput& input)
    : window_packets_(setup.window_packets),
      timeout_(setup.timeout),
      pull_gap_(setup.credit_gap(input.pull_rate)),
      ends_(setup),
      turns_(setup.layout, ends_.paths.bound_to_plane(), setup.seed) {
  for (std::uint32_t f = 0; f < setup.flows.size(); ++f) {
    ends_.senders[f].packets = ends_.packets.count(f);
    ends_.receivers[f].allowed =
        ends_.senders[f].packets - std::min(ends_.senders[f].packets, window_packets_);
  }
}

/// What was cut first, then what is new.
bool Ndp::next_sequence(Sender& sender, std::uint32_t& sequence) const {
  while (!sender.repeats.empty()) {
    sequence = sender.repeats.back();
    sender.repeats.pop_back();
    if (!sender.acknowledged.has(sequence)) return true;
  }
  if (sender.next < sender.packets) {
    sequence = sender.next++;
    return true;
  }
  // Everything has been acknowledged meanwhile.
  return false;
}

void Ndp::check_restored(Picoseconds now) const {
  ends_.check_senders();
  for (std::uint32_t f = 0; f < ends_.senders.size(); ++f)
    keep_bounds(ends_.senders[f].sent.in_bounds(ends_.packets.count(f), now));
  ends_.check_turns(turns_);
  for (std::uint32_t h = 0; h < ends_.hosts.size(); ++h) {
    const auto receives = [&](std::uint32_t flow) { return ends_.receives(h, flow); };
    keep_all(ends_.hosts[h].pulls, receives);
    keep_bounds(is_time(ends_.hosts[h].next_pull));
    ends_.check_timers(h, ends_.hosts[h].timeouts);
  }
}

static RunOutcome run_ndp(const TransportSetup& setup, const TransportsInput& input, const WindowTick& tick) {
  Ndp transport(setup, input.ndp);
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

TransportTraits ndp_traits() {
  return {.run = run_ndp,
          .load_balancing = LoadBalancing::spray,
          .trim = true,
          .acknowledgements_first = true,
          .names_ways = false,
          .by_window = true,
          .backs_off = false};
}

template RunOutcome run_transport(const TransportSetup&, Ndp&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
