#include "network/packet/transports/homa.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

HomaSenders::HomaSenders(const TransportSetup& setup, const HomaRules& rules, HomaEnds& ends)
    : unscheduled_packets_(rules.unscheduled_packets), timeout_(setup.timeout), ends_(ends) {
  for (HomaHost& host : ends.hosts)
    host.sending.resize(ends.paths.bound_to_plane() ? setup.layout.planes : 1);
  for (std::uint32_t f = 0; f < setup.flows.size(); ++f) {
    HomaSender& sender = ends.senders[f];
    sender.packets = ends.packets.count(f);
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
  ends_.check_senders();
  for (std::uint32_t f = 0; f < ends_.senders.size(); ++f) {
    const HomaSender& sender = ends_.senders[f];
    keep_bounds(sender.unscheduled_priority < kMostPriorities && sender.scheduled_priority < kMostPriorities);
    keep_bounds(sender.granted <= sender.packets && ends_.receivers[f].granted <= sender.packets);
    keep_bounds(is_time(ends_.receivers[f].deadline));
  }
  std::vector<char> turns(ends_.senders.size(), 0);
  for (std::uint32_t h = 0; h < ends_.hosts.size(); ++h) {
    const HomaHost& host = ends_.hosts[h];
    const auto sends = [&](std::uint32_t flow) { return ends_.sends(h, flow); };
    const auto receives = [&](std::uint32_t flow) { return ends_.receives(h, flow); };
    for (const ShortestFirst& queue : host.sending)
      keep_bounds(queue.all([&](std::uint32_t flow) { return sends(flow) && turns[flow]++ == 0; }));
    keep_all(host.receiving, [&](const HomaHost::Left& left) { return receives(left.second); });
    keep_bounds(host.send_timeouts.all(sends) && host.receive_timeouts.all(receives));
  }
  ends_.check_listed(turns);
}

static RunOutcome run_homa(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  const double product = setup.most_under_way();
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

static std::vector<IdleSetting> idle_beside_homa(const SimulationInput&, const TransportsInput&) {
  return {{"simulation", "acknowledgements_first", "grants and acknowledgements always overtake data",
           "another simulation.transport"}};
}

TransportTraits homa_traits() {
  return {.run = run_homa,
          .load_balancing = LoadBalancing::spray,
          .acknowledgements_first = true,
          .names_ways = false,
          .idle = idle_beside_homa};
}

template RunOutcome run_transport(const TransportSetup&, Homa&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
