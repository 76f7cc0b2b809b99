#include "network/packet/transports/ndp.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

Ndp::Ndp(const TransportSetup& setup, const NdpInput& input)
    : window_packets_(setup.window_packets),
      timeout_(setup.timeout),
      pull_gap_(setup.credit_gap(input.pull_rate)),
      flows_(setup.flows),
      packets_(setup.layout, setup.sizes, setup.flows),
      paths_(setup.paths()),
      turns_(setup.layout, paths_.bound_to_plane()),
      senders_(flows_.size()),
      receivers_(flows_.size()),
      hosts_(setup.layout.hosts()) {
  for (std::uint32_t f = 0; f < flows_.size(); ++f) {
    senders_[f].packets = packets_.count(f);
    receivers_[f].allowed = senders_[f].packets - std::min(senders_[f].packets, window_packets_);
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

void Ndp::check_restored(Picoseconds) const {
  check_ends(packets_, paths_, senders_, receivers_);
  const auto sends = [&](std::uint32_t host, std::uint32_t flow) {
    return flow < flows_.size() && flows_[flow].from == host;
  };
  keep_bounds(turns_.all(sends));
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const auto receives = [&](std::uint32_t flow) { return flow < flows_.size() && flows_[flow].to == h; };
    keep_all(hosts_[h].pulls, receives);
    keep_bounds(is_time(hosts_[h].next_pull));
    keep_bounds(hosts_[h].timeouts.all([&](std::uint32_t flow) { return sends(h, flow); }));
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
          .by_credit = true};
}

}  // namespace trainyard::packet
