#include "network/packet_setup.h"

#include <fmt/core.h>

#include <algorithm>

#include "network/delay_sources.h"
#include "network/network_rules.h"
#include "network/packet/transports/transports.h"
#include "network/packet_case.h"
#include "network/simulation_case.h"
#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr Seconds kTimeout{1e-3};
constexpr Seconds kLosslessTimeout{64e-3};

std::uint32_t narrow(std::int64_t v) { return static_cast<std::uint32_t>(v); }

Picoseconds usual_timeout(const PacketCase& of, const packet::TransportSetup& setup,
                          const packet::TransportTraits& traits) {
  const Picoseconds longest = setup.longest_round_trip();
  if (setup.queues.lossless()) return std::max(picoseconds(kLosslessTimeout), 4 * longest);
  if (traits.timeout_queues == 0) return std::max(picoseconds(kTimeout), 4 * longest);
  const double queues = traits.timeout_queues * static_cast<double>(of.input.queue) *
                        static_cast<double>(setup.full_packet_time());
  return std::max(longest + static_cast<Picoseconds>(queues), 4 * longest);
}

/// Around busy links: where there are ways of several lengths.
PacketRouting routing(const PacketCase& of, const packet::TransportTraits& traits) {
  const PacketRouting out = of.input.routing.value_or(PacketRouting::minimal);
  if (out == PacketRouting::minimal) return out;
  if (of.asked.joined())
    fail_input(whole("simulation.routing"), "packets take shortest ways where HB domains are simulated",
               "minimal, or simulation.extent = \"network\"");
  if (of.layout.routes.empty() || of.asked.shape() != nullptr)
    fail_input(whole("simulation.routing"), "all ways through a folded Clos network are shortest ones",
               "minimal; which of them a packet takes is simulation.load_balancing");
  if (out == PacketRouting::ugal && traits.goes_back)
    fail_input(whole("simulation.routing"), "go-back-N takes packets that overtake each other for losses",
               "minimal or valiant");
  if (of.layout.leaves > wiring::Routes::kMostDetours)
    fail_input(whole("simulation.routing"),
               fmt::format("packets go by one of {} switches first, not of {}", wiring::Routes::kMostDetours,
                           of.layout.leaves),
               "minimal");
  return out;
}

void trace(const PacketCase& of, packet::TransportSetup& setup, const std::vector<std::int64_t>& flows) {
  if (flows.empty()) return;
  setup.traced_flows.assign(of.workload.flows.size(), 0);
  const std::int64_t number = of.connections.flows(of.workload);
  for (const std::int64_t flow : flows) {
    if (flow < 0 || flow >= number)
      fail_input(whole("--trace-flows"), fmt::format("no flow {}", flow),
                 fmt::format("flows are numbered 0 to {}", number - 1));
    for (std::uint32_t part = of.connections.first_part(narrow(flow));
         part < of.connections.first_part(narrow(flow + 1)); ++part)
      setup.traced_flows[part] = 1;
  }
  // Packets are those of a connection.
  for (const workload::Connection& messages : of.workload.connections) {
    const bool any = std::any_of(messages.begin(), messages.end(),
                                 [&](std::uint32_t flow) { return setup.traced_flows[flow] != 0; });
    setup.traced_flows[messages.front()] = any ? 1 : 0;
  }
}

}  // namespace

packet::TransportSetup set_up(PacketCase& of, const packet::TransportTraits& traits, unsigned threads,
                              const std::vector<std::int64_t>& traced) {
  packet::check_sizes(of.asked.scenario);
  packet::check_windows(of.layout, static_cast<std::uint64_t>((of.input.packet + of.input.header).si()),
                        [&] { return delay_sources(of.asked, of.layout); });
  packet::TransportSetup setup{of.layout, of.workload.flows, of.workload.dependencies, of.faults, of.links};
  setup.threads = threads;
  setup.sizes.payload_bytes = static_cast<std::uint16_t>(of.input.packet.si());
  setup.sizes.header_bytes = static_cast<std::uint16_t>(of.input.header.si());
  setup.sizes.control_bytes = static_cast<std::uint16_t>(of.input.control_packet.si());
  if (!of.input.acknowledgements_first.value_or(traits.acknowledgements_first))
    setup.sizes.ack_priority = workload::kDataPriority;
  setup.queues = packet::queue_rules(of.input, traits, of.layout);
  setup.limits = of.limits;
  setup.lineups = of.workload.lineups;
  setup.connections = of.workload.connections;
  setup.reductions = of.workload.reductions;
  if (!setup.connections.empty() && !traits.keeps_connections && of.input.delivery)
    fail_input(whole("simulation.delivery"), "it has no connections of several messages", "rod or rud");
  if (!setup.connections.empty() && !traits.keeps_connections)
    fail_input(whole("simulation.transport"), "this transport has no connections of several messages",
               "nscc, eqds, roce, dctcp and others");
  setup.packets_per_ack = packet::packets_per_ack(of.input, traits);
  setup.window_packets = narrow(of.input.window);
  setup.timeout = of.input.timeout ? picoseconds(*of.input.timeout) : usual_timeout(of, setup, traits);
  setup.delivery = of.input.delivery.value_or(Delivery::rud);
  setup.load_balancing = packet::load_balancing(of.input, traits);
  setup.routing = routing(of, traits);
  setup.queues.weighs_detours = setup.routing == PacketRouting::ugal;
  setup.entropies = packet::entropies(of.input, setup.load_balancing);
  setup.queues.adaptive = traits_of(setup.load_balancing).by_switches;
  setup.flowlet_gap = picoseconds(of.input.flowlet_gap);
  setup.seed = static_cast<std::uint64_t>(of.input.seed);
  if (setup.timeout < 2 * setup.longest_round_trip())
    fail_input(whole("simulation.timeout"), "shorter than two round trips of an empty network",
               fmt::format("at least {}",
                           format_quantity(2 * seconds(setup.longest_round_trip()).si(), Unit::seconds)));
  trace(of, setup, traced);
  setup.probes = of.probes;
  return setup;
}

}  // namespace trainyard
