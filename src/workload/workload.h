// What is sent: the flows of a simulation and which of them wait for others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bounds.h"
#include "trainyard/errors.h"
#include "trainyard/flow.h"

namespace trainyard {

struct Location;
struct NetworkDesign;
struct Scenario;
}  // namespace trainyard

namespace trainyard::workload {

/// The end of simulated time, 53 days: no flow begins or ends later.
constexpr Seconds kHorizon = seconds(kFarthest);
/// The latest start in a file of flows, 11 days.
constexpr Seconds kLatestStart{1e6};

/// Where a flow stands in its file, or the setting that gives it its bytes.
using PlaceOfFlow = std::function<Location(std::uint32_t)>;

struct Workload {
  std::vector<Flow> flows;
  std::vector<Dependency> dependencies;
  std::vector<Lineup> lineups;
  std::vector<Connection> connections = {};  // of several messages
  std::vector<Reduction> reductions = {};    // that switches could sum
  PlaceOfFlow place = {};                    // for errors: it may read the file again
};

/// What [simulation]'s traffic may be: traffic_names() and what is generated flow by flow.
const std::vector<std::string>& simulated_traffic_names();

/// The hosts that take part, spread evenly over the network.
std::vector<std::uint32_t> active_hosts(const Scenario& scenario, const NetworkDesign& design,
                                        std::int64_t hosts);

/// Throws InputError for traffic that the network's `hosts` cannot send.
Workload workload_of(const Scenario& scenario, const NetworkDesign& design, std::int64_t hosts);

/// Throws InputError at a setting for more flows than a simulation takes.
void check_flow_count(double flows, const std::string& setting);

/// Throws InputError at a flow that begins or ends behind simulated time, as `what` says.
[[noreturn]] void fail_horizon(const Workload& workload, std::uint32_t flow, const std::string& what);

/// Throws InputError when flows wait for themselves: at `where`, or at the first flow of the circle with the
/// lines of the others.
void check_dependencies(const Workload& workload, const Location& where, const PlaceOfFlow& place = {});

/// Throws InputError at `where` when what begins behind what is found out by the run itself, or when
/// connections carry several messages.
void check_order_is_known(const Workload& workload, const Location& where, const std::string& help);

}  // namespace trainyard::workload
