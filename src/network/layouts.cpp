#include "network/layouts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/errors.h"
#include "facility/networks.h"
#include "facility/site_delays.h"
#include "network/simulation_case.h"
#include "network/tier_rules.h"
#include "topology/fabric.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

wiring::LinkRules links_of(const NetworkDesign& design, const SimulationInput& input) {
  const double exact = kBitsPerByte * kPicosecondsPerSecond / design.link_rate.si();
  if (!(exact >= wiring::ByteTime::kLeast && exact <= wiring::ByteTime::kMost))
    fail_design(design.input, "rate",
                fmt::format("a byte takes {:.4g} ps on a link of {}", exact,
                            format_quantity(design.link_rate.si(), Unit::bits_per_second)),
                fmt::format("from {:g} to {:g} ps", wiring::ByteTime::kLeast, wiring::ByteTime::kMost));
  return {picoseconds(input.link_delay), wiring::ByteTime::of(exact)};
}

wiring::Layout layout_of_file(const SimulationCase& asked) {
  wiring::Layout out = wiring::lay_out(*asked.shape(), 1, asked.topology->links, whole(asked.name));
  const double packet = asked.input().packet.si() + asked.input().header.si();
  const auto usual = static_cast<std::uint64_t>(static_cast<double>(asked.input().queue) * packet);
  out.queue_bytes = wiring::queues_of_ports(out, asked.topology->queues, usual);
  for (const std::uint64_t bytes : out.queue_bytes) {
    if (static_cast<double>(bytes) < packet)
      fail_input(whole(asked.name),
                 fmt::format("a queue of {} bytes has no room for a packet of {:.0f}", bytes, packet),
                 "larger Queue_up and Queue_down, or smaller packets (--mtu)");
  }
  return out;
}

/// In bytes, of every port where HB domains or devices that forward have queues of their own; else empty.
std::vector<std::uint64_t> joined_queues(const SimulationInput& input, const wiring::Layout& layout) {
  if (!input.domain_queue && !input.forward_queue) return {};
  const auto bytes = [&](std::int64_t packets) {
    return static_cast<std::uint64_t>(static_cast<double>(packets) * (input.packet.si() + input.header.si()));
  };
  std::vector<std::uint64_t> out(layout.wires.size(), bytes(input.queue));
  for (const wiring::Node& node : layout.nodes) {
    if (node.hosts) continue;
    const auto begin = out.begin() + node.first_port;
    if (layout.devices.is_domain[node.block] != 0)
      std::fill_n(begin, node.ports, bytes(input.domain_queue.value_or(input.queue)));
    if (node.block < layout.leaves)
      std::fill_n(begin, node.ports, bytes(input.forward_queue.value_or(input.queue)));
  }
  return out;
}

wiring::Layout joined_layout(const SimulationCase& asked) {
  const NetworkDesign& design = *asked.design;
  const SimulationInput& input = asked.input();
  wiring::JoinedRules rules{.link = links_of(design, input),
                            .scale_up_rate = port_rates_of(asked.scenario).scale_up,
                            .domain_delay = picoseconds(input.domain_delay.value_or(input.link_delay)),
                            .all_datacenters = asked.all_datacenters()};
  const auto sites = static_cast<std::int64_t>(asked.scenario.wide_area.sites.size());
  if (rules.all_datacenters && sites > 0 && sites < design.datacenters)
    fail_input(whole("wide_area.sites"),
               fmt::format("{} places of {} datacenters", sites, design.datacenters),
               "a place for each, or none: all network.wide_area_rtt apart");
  if (rules.all_datacenters) rules.site_delays = site_delays(asked.scenario, design.datacenters);
  wiring::Layout out = wiring::lay_out_joined(design, rules);
  out.queue_bytes = joined_queues(input, out);
  return out;
}

}  // namespace

static wiring::Layout usual_layout(const SimulationCase& asked) {
  if (asked.topology) return layout_of_file(asked);
  if (asked.joined()) return joined_layout(asked);
  const NetworkDesign& design = *asked.design;
  return wiring::lay_out(design, links_of(design, asked.input()));
}

wiring::Layout layout_of(const SimulationCase& asked) {
  wiring::Layout out = usual_layout(asked);
  apply_tiers(asked.scenario, out);
  return out;
}

void devices_to_hosts(const wiring::Layout& layout, workload::Workload& workload) {
  if (layout.devices.empty()) return;
  if (!workload.lineups.empty())
    fail_input(whole("simulation.extent"), "multishot triggers begin flows of one network", "\"network\"");
  if (!workload.connections.empty())
    fail_input(whole("simulation.extent"), "connections of several messages are of one network",
               "\"network\"");
  for (workload::Flow& flow : workload.flows) {
    const std::uint32_t from = layout.sending_host(flow.from, flow.to);
    flow.to = layout.receiving_host(flow.from, flow.to);
    flow.from = from;
  }
}

void hosts_to_devices(const wiring::Layout& layout, std::vector<workload::Flow>& flows) {
  for (workload::Flow& flow : flows) {
    flow.from /= layout.hosts_of_device();
    flow.to /= layout.hosts_of_device();
  }
}

}  // namespace trainyard
