#include "network/probes_of.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "network/packet/probes.h"
#include "network/wiring/named_ports.h"
#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostProbes = 10'000;

packet::Probe times_of(const ProbeInput& input) {
  packet::Probe out;
  out.interval = std::max<Picoseconds>(1, picoseconds(input.interval));
  out.from = picoseconds(input.from);
  if (input.until) out.until = picoseconds(*input.until);
  return out;
}

/// One for each of its connections.
void add_flow(const ProbeInput& input, const workload::Workload& workload,
              const workload::Connections& connections, std::vector<packet::Probe>& out) {
  const std::int64_t flows = connections.flows(workload);
  if (*input.flow >= flows)
    fail_input(
        place_of(input.places, "flow"), fmt::format("'probe.flow': no flow {}", *input.flow),
        flows == 0 ? "the simulation has no flows" : fmt::format("flows are numbered 0 to {}", flows - 1));
  const auto flow = static_cast<std::uint32_t>(*input.flow);
  const std::uint32_t first = connections.first_part(flow);
  for (std::uint32_t part = first; part < connections.first_part(flow + 1); ++part) {
    packet::Probe probe = times_of(input);
    probe.of_flow = true;
    probe.index = part;
    probe.name = fmt::format("flow {}", flow);
    if (connections.cut()) probe.name += fmt::format(" connection {}", part - first);
    out.push_back(std::move(probe));
  }
}

/// What is sampled when: a port or a flow, interval, from, until.
using ProbeIdentity = std::tuple<bool, std::uint32_t, Picoseconds, Picoseconds, Picoseconds>;

/// Refuses a probe of which earlier ones sample everything at the same times.
void check_adds(const ProbeInput& input, const std::vector<packet::Probe>& probes, std::size_t first,
                std::set<ProbeIdentity>& seen) {
  bool adds = false;
  for (std::size_t i = first; i < probes.size(); ++i) {
    const packet::Probe& p = probes[i];
    if (seen.insert({p.of_flow, p.index, p.interval, p.from, p.until}).second) adds = true;
  }
  if (!adds)
    fail_input(place_of(input.places), "earlier probes sample all that this one does, at the same times",
               "one of them, or other times");
}

}  // namespace

std::vector<packet::Probe> probes_of(const std::vector<ProbeInput>& inputs, const wiring::Layout& layout,
                                     const workload::Workload& workload,
                                     const workload::Connections& connections) {
  std::vector<packet::Probe> out;
  const auto add_port = [&](const ProbeInput& input, std::uint32_t port) {
    packet::Probe probe = times_of(input);
    probe.index = port;
    probe.name = wiring::port_name(layout, port);
    out.push_back(std::move(probe));
  };
  std::set<ProbeIdentity> seen;
  for (const ProbeInput& input : inputs) {
    const std::size_t first = out.size();
    if (input.flow) {
      add_flow(input, workload, connections, out);
    } else {
      const ProbeDirection direction = input.direction.value_or(ProbeDirection::both);
      for (const std::uint32_t port :
           wiring::named_ports(layout, {"probe", *input.node, input.uplink, input.plane, input.places})) {
        if (direction != ProbeDirection::in) add_port(input, port);
        if (direction != ProbeDirection::out) add_port(input, wiring::opposite(layout, port));
      }
    }
    if (out.size() > kMostProbes)
      fail_input(place_of(input.places), fmt::format("more than {} ends of links are sampled", kMostProbes),
                 "'probe.uplink' or 'probe.direction' names fewer");
    check_adds(input, out, first, seen);
  }
  return out;
}

void check_sample_count(const std::vector<packet::Probe>& probes, const std::vector<ProbeInput>& inputs,
                        Seconds least) {
  double count = 0;
  for (const packet::Probe& probe : probes) {
    const double end = std::min(seconds(probe.until).si(), least.si());
    const double span = end - seconds(probe.from).si();
    if (span >= 0) count += std::floor(span / seconds(probe.interval).si()) + 1;
  }
  const auto most = static_cast<double>(packet::kMostSamples);
  if (count <= most) return;
  fail_input(place_of(inputs.front().places, "interval"),
             fmt::format("'probe.interval': {:.4g} samples of {} probes within {}, the least that the run "
                         "takes; {:g} are kept",
                         count, probes.size(), format_quantity(least.si(), Unit::seconds), most),
             fmt::format("intervals {:.3g} times as long, fewer probes, or 'probe.until'", count / most));
}

}  // namespace trainyard
