// What a simulation is of, whichever engine runs it: the network, by a design or htsim's topology file, and
// who sends what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "network/wiring/topology_file.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario/simulation.h"
#include "trainyard/simulation.h"
#include "trainyard/units.h"

namespace trainyard::workload {
struct Workload;
}  // namespace trainyard::workload

namespace trainyard {

struct Scenario;

struct SimulationCase {
  const Scenario& scenario;
  SimulationFiles files;
  std::string name;                              // of the design, or the file
  std::optional<wiring::TopologyFile> topology;  // of a file
  std::optional<NetworkDesign> design;           // else
  std::int64_t hosts = 0;

  const SimulationInput& input() const;
  std::int64_t planes() const { return design ? design->planes : 1; }
  /// Whether HB domains and all networks of a design stand in it.
  bool joined() const {
    return input().extent.value_or(SimulationExtent::network) != SimulationExtent::network;
  }
  bool all_datacenters() const { return input().extent == SimulationExtent::cluster; }
  /// Of a link of a host.
  BitRate link_rate() const;
  /// The tree of one folded Clos network; else nothing.
  const ClosShape* shape() const;
};

/// Throws InputError for a file or a design that cannot be simulated.
SimulationCase simulation_case(const Scenario& scenario, const SimulationFiles& files);

/// Of the connection matrix, the file of flows or [simulation]. `paths`: among which a file of flows may
/// choose for each; 0: flows have no path of their own. Throws InputError for what the hosts cannot send.
workload::Workload workload_of(const SimulationCase& asked, std::uint32_t paths);

}  // namespace trainyard
