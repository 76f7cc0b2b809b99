#include "network/simulation_case.h"

#include <fmt/core.h>

#include <utility>

#include "topology/fabric.h"
#include "trainyard/scenario.h"
#include "workload/flow_files.h"

namespace trainyard {

const SimulationInput& SimulationCase::input() const { return scenario.simulation; }

const ClosShape* SimulationCase::shape() const {
  if (joined()) return nullptr;
  return topology ? &topology->shape : design->fabric->clos();
}

BitRate SimulationCase::link_rate() const {
  if (design) return design->link_rate;
  return BitRate(kBitsPerByte * kPicosecondsPerSecond /
                 static_cast<double>(topology->links.front().picoseconds_per_byte));
}

namespace {

/// Before anything is laid out.
void check_hosts(const NetworkDesign& design, std::int64_t hosts) {
  constexpr std::int64_t kMostHosts = 20'000'000;  // as many as flows
  if (hosts > kMostHosts)
    fail_design(design.input, "hosts", fmt::format("{} hosts; a simulation takes {}", hosts, kMostHosts));
}

/// Settings that say something about what is not there.
void check_extent(const SimulationCase& asked) {
  const SimulationInput& input = asked.input();
  if (asked.joined()) {
    if (asked.topology)
      fail_input(whole("simulation.extent"), "a topology file is of one network",
                 "\"network\", or a [[design]]");
    return;
  }
  const std::pair<const char*, bool> keys[] = {{"simulation.domain_delay", input.domain_delay.has_value()},
                                               {"simulation.domain_queue", input.domain_queue.has_value()},
                                               {"simulation.forward_queue", input.forward_queue.has_value()}};
  for (const auto& [key, given] : keys) {
    if (given)
      fail_input(whole(key), "HB domains are no part of this simulation",
                 "simulation.extent = \"datacenter\" or \"cluster\"");
  }
}

/// Gateways send nothing of their own.
std::int64_t hosts_of(const SimulationCase& asked) {
  const NetworkDesign& design = *asked.design;
  if (!asked.joined()) return design.fabric->endpoints() - design.gateways;
  return design.hosts * (asked.all_datacenters() ? design.datacenters : 1);
}

}  // namespace

SimulationCase simulation_case(const Scenario& scenario, const SimulationFiles& files) {
  SimulationCase out{scenario, files, {}, {}, {}, 0};
  if (files.topology) {
    out.topology = wiring::read_topology_file(files.topology);
    out.name = files.topology->name;
    out.hosts = out.topology->shape.endpoints;
    check_extent(out);
    return out;
  }
  out.design = simulated_design(scenario);
  out.name = out.design->input.name;
  check_extent(out);
  out.hosts = hosts_of(out);
  check_hosts(*out.design, out.hosts);
  return out;
}

workload::Workload workload_of(const SimulationCase& asked, std::uint32_t paths) {
  const SimulationFiles& files = asked.files;
  if (files.connections) return workload::read_connection_matrix(files.connections, asked.hosts);
  if (files.flows)
    return workload::read_flow_file(files.flows, asked.hosts, workload::kMostFlowsOfFile, paths);
  NetworkDesign design = asked.design ? *asked.design : simulated_design(asked.scenario);
  if (asked.topology) {  // named traffic on a topology file's network
    design.planes = 1;
    design.link_rate = design.host_rate = asked.link_rate();
  }
  return workload::workload_of(asked.scenario, design, asked.hosts);
}

}  // namespace trainyard
