#include "network/packet/workload.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/nearest.h"
#include "topology/loads.h"

namespace trainyard::packet {
namespace {

constexpr double kMostFlows = 20e6;
constexpr double kMostPacketsOfFlow = 4e9;

/// The named traffic among the active hosts of the network, as if each were an HB domain of its own.
class NamedTraffic {
 public:
  NamedTraffic(const Scenario& scenario, const NetworkDesign& design, std::int64_t hosts)
      : input_(scenario.simulation), design_(design), hosts_(hosts) {}

  Workload build() {
    const auto& names = traffic_names();
    if (std::find(names.begin(), names.end(), input_.traffic) == names.end()) {
      fail_input(whole("simulation.traffic"), "no traffic '" + input_.traffic + "'",
                 suggestion(input_.traffic, names));
    }
    const double per_flow = std::ceil(input_.bytes.si() / input_.packet.si());
    if (per_flow > kMostPacketsOfFlow)
      fail_input(whole("simulation.bytes"), fmt::format("{:.3g} packets of a flow", per_flow), "fewer bytes");
    NetworkDesign flat = design_;
    flat.hosts = std::max<std::int64_t>(2, std::llround(static_cast<double>(hosts_) * input_.active));
    if (flat.hosts > hosts_)
      fail_design(design_.input, "hosts", "a network of one host has nobody to talk to");
    flat.domain = 1;
    flat.domains = flat.hosts;
    const TrafficMatrix matrix =
        named_traffic(flat, input_.traffic, input_.bytes, static_cast<std::uint64_t>(input_.seed));
    for (const TrafficFlow& flow : matrix.flows) add(flow.from, flow.to, flow.bytes);
    for (const TrafficClass& c : matrix.classes) {
      visit_groups(matrix, c, [&](const std::vector<std::int64_t>& members) {
        visit_pairs(c.pattern, static_cast<std::int64_t>(members.size()),
                    [&](std::int64_t from, std::int64_t to) {
                      add(members[static_cast<std::size_t>(from)], members[static_cast<std::size_t>(to)],
                          c.pair);
                    });
      });
    }
    return std::move(out_);
  }

 private:
  /// Active hosts are spread evenly over the network.
  std::uint32_t spread(std::int64_t active_host) const {
    const auto at = static_cast<std::int64_t>(static_cast<double>(active_host) / input_.active + 1e-9);
    return static_cast<std::uint32_t>(std::min(at, hosts_ - 1));
  }

  void add(std::int64_t from, std::int64_t to, Bytes bytes) {
    const double whole_bytes = std::ceil(bytes.si() - 1e-9);
    if (whole_bytes < 1) return;
    if (static_cast<double>(out_.flows.size()) >= kMostFlows)
      fail_input(whole("simulation.traffic"), fmt::format("more than {:.0f} flows", kMostFlows),
                 "fewer hosts");
    Flow flow;
    flow.from = spread(from);
    flow.to = spread(to);
    flow.bytes = static_cast<std::uint64_t>(whole_bytes);
    if (flow.from != flow.to) out_.flows.push_back(flow);
  }

  const SimulationInput& input_;
  const NetworkDesign& design_;
  std::int64_t hosts_;
  Workload out_;
};

}  // namespace

Workload workload_of(const Scenario& scenario, const NetworkDesign& design, std::int64_t hosts) {
  return NamedTraffic(scenario, design, hosts).build();
}

void check_dependencies(const Workload& workload, const Location& where) {
  std::vector<std::uint32_t> left(workload.flows.size(), 0);
  std::vector<std::vector<std::uint32_t>> after(workload.flows.size());
  for (const Dependency& d : workload.dependencies) {
    ++left[d.after];
    after[d.before].push_back(d.after);
  }
  std::vector<std::uint32_t> free;
  for (std::uint32_t f = 0; f < left.size(); ++f) {
    if (left[f] == 0) free.push_back(f);
  }
  std::size_t done = 0;
  while (!free.empty()) {
    const std::uint32_t flow = free.back();
    free.pop_back();
    ++done;
    for (const std::uint32_t next : after[flow]) {
      if (--left[next] == 0) free.push_back(next);
    }
  }
  if (done == workload.flows.size()) return;
  const auto stuck = static_cast<std::size_t>(
      std::find_if(left.begin(), left.end(), [](std::uint32_t n) { return n > 0; }) - left.begin());
  fail_input(where, fmt::format("{} flows wait for each other in a circle", left.size() - done),
             fmt::format("flow {} is one of them or waits for one", stuck));
}

}  // namespace trainyard::packet
