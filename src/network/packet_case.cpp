#include "network/packet_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "network/deliveries.h"
#include "network/layouts.h"
#include "network/network_rules.h"
#include "network/packet/transports/transports.h"
#include "network/probes_of.h"
#include "network/simulation_case.h"
#include "network/wiring/failures.h"
#include "network/wiring/least_time.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kMostPacketsOfFlow = 4e9;

/// Among which a file may choose for each flow; 0: flows have no path of their own.
std::uint32_t paths_of_a_leaf(const SimulationInput& input, const TransportsInput& transports,
                              const wiring::Layout& layout) {
  if (input.transport == Transport::ideal) return 0;
  const LoadBalancing choice = packet::load_balancing(input, packet::traits_of(input, transports));
  return traits_of(choice).by_hash ? layout.uplinks_leaf * std::max(1U, layout.uplinks_aggregation) : 0;
}

/// Nothing has connections where hosts' links are all there is.
workload::Connections cut_flows(const SimulationInput& input, workload::Workload& workload,
                                std::uint32_t planes) {
  const std::int64_t count = input.transport == Transport::ideal ? 1 : input.connections_per_flow.value_or(1);
  return {workload, static_cast<std::uint32_t>(count), planes};
}

}  // namespace

PacketCase::PacketCase(const SimulationCase& wanted)
    : asked(wanted),
      input(wanted.input()),
      layout(layout_of(wanted)),
      workload(workload_of(wanted, paths_of_a_leaf(input, wanted.scenario.transports, layout))),
      connections(cut_flows(input, workload, layout.planes)),
      faults(wiring::faults_of(layout, wanted.scenario.failures)),
      limits(packet::host_limits(input, layout)),
      probes(probes_of(wanted.scenario.probes, layout, workload, connections)),
      ways_of_sums_(farthest_of_sums()) {
  packet::set_errors(layout, input);
  devices_to_hosts(layout, workload);
  wait_by_delivery(input.delivery, workload.dependencies);
  if (!faults.empty()) links.down.assign(layout.wires.size(), 0);
  links.known = input.failures_known;
  for (std::uint32_t f = 0; f < workload.flows.size(); ++f) {
    all_bytes += Bytes(static_cast<double>(workload.flows[f].bytes));
    check(f);
  }
}

void PacketCase::check(std::uint32_t number) const {
  const workload::Flow& flow = workload.flows[number];
  const auto bytes = static_cast<double>(flow.bytes);
  if (bytes / input.packet.si() > kMostPacketsOfFlow)
    fail_input(workload.place ? workload.place(number) : whole("simulation.packet"),
               fmt::format("a flow of {} bytes is more than 4e9 packets", flow.bytes),
               "larger packets or smaller flows");
  const Seconds time = bytes * (1 + input.header / input.packet) * slowest_byte();
  if (time > workload::kHorizon)
    workload::fail_horizon(
        workload, number,
        fmt::format("a flow of {} bytes takes {:.3g} s at the rate of its host or of a link", flow.bytes,
                    time.si()));
}

/// Of the links one after the other, and of what limits hosts.
Seconds PacketCase::slowest_byte() const {
  double most =
      static_cast<double>(std::max(limits.send.picoseconds_per_kib, limits.receive.picoseconds_per_kib)) /
      wiring::Pace::kKib;
  for (const wiring::LinkRules& link : layout.links)
    most = std::max(most, static_cast<double>(link.picoseconds_per_byte) / layout.planes);
  return Seconds(most / kPicosecondsPerSecond);
}

/// Where switches sum, of each host: the ways to the farthest one of its group. Else empty.
std::vector<wiring::Reach> PacketCase::farthest_of_sums() const {
  if (input.transport == Transport::ideal || !packet::traits_of(input, asked.scenario.transports).sums)
    return {};
  std::vector<wiring::Reach> out(layout.hosts());
  for (const workload::Reduction& reduction : workload.reductions) {
    const std::uint32_t first = workload.flows[reduction.first].from;
    wiring::Reach farthest;
    for (std::uint32_t rank = 0; rank < reduction.ranks; ++rank) {
      const wiring::Reach way = layout.reach(first, workload.flows[reduction.first + rank].from);
      if (way.links >= farthest.links) farthest = way;
    }
    for (std::uint32_t rank = 0; rank < reduction.ranks; ++rank)
      out[workload.flows[reduction.first + rank].from] = farthest;
  }
  return out;
}

/// Nobody answers sums, nor what is unreliable.
Seconds PacketCase::ideal_time(const workload::Flow& flow) const {
  const bool sums = !ways_of_sums_.empty();
  const wiring::Reach way = sums ? ways_of_sums_[flow.from] : layout.reach(flow.from, flow.to);
  const Seconds answered = ideal_time(flow.bytes, way);
  if (!sums && input.delivery != Delivery::uud) return answered;
  return answered - seconds(wiring::answer_time(input, layout, limits, way));
}

Seconds PacketCase::ideal_time(std::uint64_t bytes, wiring::Reach reach) const {
  // Detours leave by any port.
  if (input.routing.value_or(PacketRouting::minimal) != PacketRouting::minimal)
    reach.abreast = wiring::Routes::kMostPaths;
  return seconds(wiring::least_time(input, layout, limits, bytes, reach));
}

Seconds PacketCase::least() const {
  return connections.cut() ? least(connections.joined(workload.flows)) : least(workload.flows);
}

Seconds PacketCase::least(const std::vector<workload::Flow>& flows) const {
  std::uint64_t largest = 0;
  for (const workload::Flow& flow : flows) largest = std::max(largest, flow.bytes);
  Seconds out{0};
  for (const workload::Flow& flow : flows) {
    if (flow.bytes == largest) out = std::max(out, ideal_time(flow));
  }
  return out;
}

}  // namespace trainyard
