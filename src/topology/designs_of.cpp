// The designs of a scenario: its own, or the usual ones for its cluster.
#include <algorithm>

#include "base/errors.h"
#include "scenario/choices/designs.h"
#include "topology/dealing.h"
#include "topology/topologies.h"
#include "topology/topology.h"
#include "trainyard/nearest.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard {
namespace {

/// "fat_tree" as a design is named: "fat-tree".
std::string name_of(TopologyKind kind) {
  std::string name(choice_name(kind));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

DesignInput usual(const RegisteredTopology& entry) {
  DesignInput input;
  input.name = name_of(entry.kind);
  input.title = entry.topology->usual_title;
  input.topology = entry.kind;
  return input;
}

/// The most planes, up to four, into which the usual switch divides the scenario's rate.
std::int64_t usual_planes(const Scenario& scenario) {
  DesignInput input;
  for (const std::int64_t planes : {4, 2}) {
    try {
      input.planes = planes;
      resolve_design(scenario, input);
      return planes;
    } catch (const UnbuildableNetwork&) {
      continue;
    }
  }
  return 1;
}

/// Those that say so of themselves; the ones over rails with several planes too, at the end.
std::vector<DesignInput> usual_designs(const Scenario& scenario) {
  const std::int64_t planes = usual_planes(scenario);
  std::vector<DesignInput> out;
  std::vector<DesignInput> in_planes;
  for (const RegisteredTopology& entry : topologies()) {
    if (entry.topology->usual_title.empty()) continue;
    out.push_back(usual(entry));
    if (planes == 1 || !entry.topology->dealing.over_rails()) continue;
    DesignInput& input = in_planes.emplace_back(usual(entry));
    input.name += "-planes";
    input.title += ", several planes";
    input.planes = planes;
  }
  out.insert(out.end(), in_planes.begin(), in_planes.end());
  return out;
}

}  // namespace

std::vector<NetworkDesign> designs_of(const Scenario& scenario, const std::string& name,
                                      const std::string& asked_by) {
  const std::vector<DesignInput> inputs =
      scenario.designs.empty() ? usual_designs(scenario) : scenario.designs;
  std::vector<NetworkDesign> out;
  std::vector<std::string> names;
  for (const DesignInput& input : inputs) {
    names.push_back(input.name);
    if (name.empty() || input.name == name) out.push_back(resolve_design(scenario, input));
  }
  if (out.empty()) {
    fail_input(whole(asked_by), "the scenario has no design '" + name + "'", suggestion(name, names));
  }
  return out;
}

}  // namespace trainyard
