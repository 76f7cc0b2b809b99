#include "network/packet/transports/credits.h"

namespace trainyard::packet {

Credits::Credits(const TransportSetup& setup, const CreditRules& rules)
    : rules_(rules),
      timeout_(setup.timeout),
      credit_time_(setup.credit_gap(rules.rate)),
      flows_(setup.flows),
      packets_(setup.layout, setup.sizes, setup.flows),
      paths_(setup.paths()),
      turns_(setup.layout, paths_.bound_to_plane()),
      senders_(flows_.size()),
      receivers_(flows_.size()),
      hosts_(setup.layout.hosts()) {
  for (std::uint32_t f = 0; f < flows_.size(); ++f) senders_[f].packets = packets_.count(f);
}

void Credits::settle(Sender& sender, std::uint32_t sequence) {
  if (sender.acknowledged.add(sequence)) ++sender.count;
}

void Credits::check_restored(Picoseconds) const {
  check_ends(packets_, paths_, senders_, receivers_);
  const auto sends = [&](std::uint32_t host, std::uint32_t flow) {
    return flow < flows_.size() && flows_[flow].from == host;
  };
  keep_bounds(turns_.all(sends));
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const auto receives = [&](std::uint32_t flow) { return flow < flows_.size() && flows_[flow].to == h; };
    keep_all(hosts_[h].repeating, receives);
    keep_all(hosts_[h].active, receives);
    keep_bounds(is_time(hosts_[h].next_pull));
    keep_bounds(hosts_[h].timeouts.all([&](std::uint32_t flow) { return sends(h, flow); }));
  }
}

}  // namespace trainyard::packet
