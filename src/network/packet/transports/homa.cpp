#include "network/packet/transports/homa.h"

#include <cmath>

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

Homa::Homa(const TransportSetup& setup, const HomaRules& rules)
    : rules_(rules),
      timeout_(setup.timeout),
      flows_(setup.flows),
      packets_(setup.layout, setup.sizes, setup.flows),
      paths_(setup.paths()),
      senders_(flows_.size()),
      receivers_(flows_.size()),
      hosts_(setup.layout.hosts()) {
  for (Host& host : hosts_) host.sending.resize(paths_.bound_to_plane() ? setup.layout.planes : 1);
  for (std::uint32_t f = 0; f < flows_.size(); ++f) {
    Sender& sender = senders_[f];
    sender.packets = packets_.count(f);
    // Shorter messages get higher priorities, by the power of two of their length.
    const std::uint32_t short_by =
        sender.packets >= rules.unscheduled_packets
            ? 0
            : static_cast<std::uint32_t>(
                  std::log2(static_cast<double>(rules.unscheduled_packets) / sender.packets));
    const std::uint32_t levels = rules.unscheduled_priorities;
    const std::uint32_t level = levels - 1 - std::min(levels - 1, short_by);
    sender.unscheduled_priority = static_cast<std::uint8_t>(kDataPriority + level);
    sender.scheduled_priority = kDataPriority + kDataPriorities - 1;
  }
}

void Homa::check_restored(Picoseconds) const {
  check_ends(packets_, paths_, senders_, receivers_);
  for (std::uint32_t f = 0; f < senders_.size(); ++f) {
    const Sender& sender = senders_[f];
    keep_bounds(sender.unscheduled_priority < kMostPriorities && sender.scheduled_priority < kMostPriorities);
    keep_bounds(sender.granted <= sender.packets && receivers_[f].granted <= sender.packets);
    keep_bounds(is_time(receivers_[f].deadline));
  }
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const Host& host = hosts_[h];
    const auto sends = [&](std::uint32_t flow) { return flow < flows_.size() && flows_[flow].from == h; };
    const auto receives = [&](std::uint32_t flow) { return flow < flows_.size() && flows_[flow].to == h; };
    for (const auto& queue : host.sending) {
      for (auto left = queue; !left.empty(); left.pop()) keep_bounds(sends(left.top().second));
    }
    keep_all(host.receiving, [&](const Left& left) { return receives(left.second); });
    keep_bounds(host.send_timeouts.all(sends) && host.receive_timeouts.all(receives));
  }
}

static RunOutcome run_homa(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  const double product = static_cast<double>(setup.longest_round_trip()) * setup.layout.planes /
                         static_cast<double>(setup.full_packet_time());
  HomaRules rules;
  const double unscheduled =
      input.homa.unscheduled ? input.homa.unscheduled->si() / setup.sizes.payload_bytes : product;
  rules.unscheduled_packets = static_cast<std::uint32_t>(std::max(1.0, std::ceil(unscheduled)));
  rules.granted_packets =
      static_cast<std::uint32_t>(std::max(1.0, std::ceil(input.homa.grant_window * product)));
  rules.overcommitment = static_cast<std::uint32_t>(input.homa.overcommitment);
  rules.unscheduled_priorities = static_cast<std::uint32_t>(input.homa.unscheduled_priorities);
  Homa transport(setup, rules);
  return run_transport(setup, transport, kMostPriorities, tick);
}

TransportTraits homa_traits() {
  return {.run = run_homa,
          .load_balancing = LoadBalancing::spray,
          .acknowledgements_first = true,
          .by_credit = true};
}

}  // namespace trainyard::packet
