#include "report/reproduction/row_quantities.h"

#include <fmt/core.h>

#include "base/errors.h"
#include "report/data/network_quantities.h"
#include "report/data/rail_quantities.h"
#include "report/reproduction/rows.h"
#include "report/reproduction/steps.h"
#include "siting/grid_files.h"
#include "siting/siting.h"
#include "step/packet_transfers.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"
#include "trainyard/stored_runs.h"

namespace trainyard {
namespace {

Scenario scenario_with(const char* name, const std::vector<const char*>& changes) {
  ScenarioText text = ScenarioText::load(name);
  for (const char* change : changes) text.set(change, "reproduce");
  return text.resolve();
}

/// Spare power that siting grants each authority of the shipped grid.
std::vector<PlanQuantity> spare_quantities(const Scenario& scenario) {
  std::vector<PlanQuantity> out;
  std::vector<std::string> warnings;
  for (const SparePower& a : spare_power(shipped_grid(), scenario.site, warnings))
    out.push_back({a.code + ".spare_w",
                   a.name,
                   Unit::watts,
                   as<Watts>(a.used.value_or(Megawatts())).si(),
                   {},
                   {},
                   {},
                   {}});
  return out;
}

std::string with_changes(std::string name, const std::vector<const char*>& changes) {
  for (const char* change : changes) name += std::string(" ") + change;
  return name;
}

}  // namespace

const std::vector<PlanQuantity>& RowQuantities::of(const RowSource& source) {
  std::string name =
      with_changes(source.scenario + std::to_string(static_cast<int>(source.analysis)), source.more.changes);
  const auto known = quantities_.find(name);
  if (known != quantities_.end()) return known->second;
  const Scenario scenario = scenario_with(source.scenario, source.more.changes);
  return quantities_.emplace(std::move(name), quantities(source, scenario)).first->second;
}

const std::map<std::string, double>& RowQuantities::stepped(const RowSource& source) {
  std::string name = with_changes(source.scenario, source.more.changes);
  const auto known = stepped_.find(name);
  if (known != stepped_.end()) return known->second;
  const Plan plan = make_plan(scenario_with(source.scenario, source.more.changes));
  return stepped_.emplace(std::move(name), stepped_quantities(plan, simulate_step(plan))).first->second;
}

void RowQuantities::simulate_quickly(const std::vector<const RowSource*>& sources, Ranks* ranks) {
  std::map<std::string, Scenario> scenarios;
  for (const RowSource* source : sources) {
    const RowSource::More& more = source->more;
    const bool slows = source->analysis == Analysis::slowed;
    if (!slows && source->analysis != Analysis::stored) continue;
    Scenario scenario = slows ? scenario_with(more.simulation, more.transport)
                              : scenario_with(source->scenario, more.changes);
    scenarios.emplace(simulation_hash(scenario), std::move(scenario));
  }
  std::vector<Scenario> list;
  for (const auto& [hash, scenario] : scenarios) list.push_back(scenario);
  for (StoredRun& run : quick_runs_of(list, ranks)) quick_runs_.emplace(run.settings_hash, std::move(run));
}

/// What a long simulation of the scenario gave, or gives on fewer hosts; nothing when it is not stored.
std::vector<PlanQuantity> RowQuantities::simulated(const Scenario& scenario) const {
  StoredRun found;
  const std::string hash = simulation_hash(scenario);
  if (quick_) {
    const auto known = quick_runs_.find(hash);
    found = known != quick_runs_.end() ? known->second : quick_run(scenario);
  } else {
    for (const StoredRun& run : stored_runs().runs) {
      if (run.settings_hash == hash) found = run;
    }
    if (found.settings_hash.empty()) return {};
  }
  const double ratio = found.max_s / found.ideal_s;
  const double full = quick_ ? ratio * least_completion(scenario).si() : found.max_s;
  return {{"simulation.max_s", found.origin, Unit::seconds, full, {}, {}, {}, {}},
          {"simulation.over_ideal", found.origin, Unit::fraction, ratio - 1, {}, {}, {}, {}}};
}

/// The steady state of a step whose pipeline transfers take as many times as long as the last flow of a long
/// simulation takes over the least time, and its closed form; nothing when it is not stored.
std::vector<PlanQuantity> RowQuantities::slowed(const Scenario& scenario, const Scenario& simulation) const {
  const std::vector<PlanQuantity> found = simulated(simulation);
  if (found.empty()) return {};
  const double times = 1 + find_quantity(found, "simulation.over_ideal").value;
  const Plan plan = make_plan(scenario);
  const StepSimulation step = simulate_step(plan, slowed_network({StepWork::pipeline}, times));
  TY_ASSERT(step.timeline.steady, "the papers' batches fill the pipeline");
  const SlowedSteadyState closed = slowed_steady_state(plan, times);
  const std::string label = fmt::format("{:.3g} times, {}", times, found.front().label);
  const auto share = [&](const char* key, double value) {
    return PlanQuantity{key, label, Unit::fraction, value, {}, {}, {}, {}};
  };
  return {share("step.exposed_share", step.timeline.steady->exposed_share),
          share(kClosedShare, closed.exposed_share),
          share(kPace, stepped_quantities(plan, step).at("step.steady_s") / closed.layer.si() - 1)};
}

std::vector<PlanQuantity> RowQuantities::quantities(const RowSource& source, const Scenario& scenario) const {
  switch (source.analysis) {
    case Analysis::plan:
      return plan_quantities(make_plan(scenario));
    case Analysis::rail:
      return rail_quantities(scenario);
    case Analysis::network:
      return network_quantities(answer_networks(scenario));
    case Analysis::stored:
      return simulated(scenario);
    case Analysis::slowed:
      return slowed(scenario, scenario_with(source.more.simulation, source.more.transport));
    case Analysis::least:
      return {{"simulation.ideal_s",
               "least completion time",
               Unit::seconds,
               least_completion(scenario).si(),
               {},
               {},
               {},
               {}}};
    case Analysis::spare:
      return spare_quantities(scenario);
    case Analysis::trimmed:
      return trimmed_quantities(scenario);
  }
  return {};
}

}  // namespace trainyard
