#include "report/reproduction.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/errors.h"
#include "base/nearest.h"
#include "facility/siting/siting.h"
#include "network/packet/simulate.h"
#include "report/network_text.h"
#include "report/quantities.h"
#include "report/rail_quantities.h"
#include "report/reproduction_rows.h"
#include "report/shipped_records.h"
#include "report/stored_runs.h"
#include "scenario/scenario.h"
#include "search/sweep.h"
#include "step/packet_transfers.h"

namespace trainyard {
namespace {

constexpr std::string_view kPublished = "published.csv";

const std::vector<std::string>& papers() {
  static const std::vector<std::string> names = {"hotnets24", "railonly23", "all"};
  return names;
}

/// The published unit in base units.
double unit_factor(const std::string& unit) {
  static const std::map<std::string, double> factors = {
      {"GW", 1e9}, {"MW", 1e6}, {"%", 0.01}, {"Gbps", 1e9}, {"days", 86400}};
  const auto found = factors.find(unit);
  return found == factors.end() ? 1 : found->second;
}

/// What a long simulation of the scenario gave, or gives on fewer hosts; nothing when it is not stored.
std::vector<PlanQuantity> simulated(const Scenario& scenario, bool quick) {
  StoredRun found;
  if (quick) {
    found = quick_run(scenario);
  } else {
    const std::string hash = simulation_hash(scenario);
    for (const StoredRun& run : stored_runs()) {
      if (run.settings_hash == hash) found = run;
    }
    if (found.settings_hash.empty()) return {};
  }
  const double ratio = found.max_s / found.ideal_s;
  const double full = quick ? ratio * least_completion(scenario).si() : found.max_s;
  return {{"simulation.max_s", found.origin, Unit::seconds, full, {}, {}, {}, {}},
          {"simulation.over_ideal", found.origin, Unit::fraction, ratio - 1, {}, {}, {}, {}}};
}

Scenario scenario_with(const char* name, const std::vector<const char*>& changes) {
  ScenarioText text = ScenarioText::load(name);
  for (const char* change : changes) text.set(change, "reproduce");
  return text.resolve();
}

/// The steady state of a step whose pipeline transfers take as many times as long as the last flow of a long
/// simulation takes over the least time; nothing when it is not stored.
std::vector<PlanQuantity> slowed(const Scenario& scenario, const Scenario& simulation, bool quick) {
  const std::vector<PlanQuantity> found = simulated(simulation, quick);
  if (found.empty()) return {};
  const double times = 1 + find_quantity(found, "simulation.over_ideal").value;
  const Plan plan = make_plan(scenario);
  const StepSimulation step = simulate_step(plan, slowed_network({StepWork::pipeline}, times));
  TY_ASSERT(step.timeline.steady, "the papers' batches fill the pipeline");
  return {{"step.exposed_share",
           fmt::format("{:.3g} times, {}", times, found.front().label),
           Unit::fraction,
           step.timeline.steady->exposed_share,
           {},
           {},
           {},
           {}}};
}

/// Spare power that siting grants each authority of the shipped grid.
std::vector<PlanQuantity> spare_quantities(const Scenario& scenario) {
  constexpr double kWattsPerMegawatt = 1e6;
  std::vector<PlanQuantity> out;
  std::vector<std::string> warnings;
  for (const SparePower& a : spare_power(shipped_grid(), scenario.site, warnings))
    out.push_back({a.code + ".spare_w",
                   a.name,
                   Unit::watts,
                   a.used_mw.value_or(0) * kWattsPerMegawatt,
                   {},
                   {},
                   {},
                   {}});
  return out;
}

/// Plans of the table, each made once.
class Plans {
 public:
  explicit Plans(bool quick) : quick_(quick) {}

  const std::vector<PlanQuantity>& of(const RowSource& source) {
    std::string name = source.scenario + std::to_string(static_cast<int>(source.analysis));
    for (const char* change : source.changes) name += std::string(" ") + change;
    const auto known = quantities_.find(name);
    if (known != quantities_.end()) return known->second;
    const Scenario scenario = scenario_with(source.scenario, source.changes);
    return quantities_.emplace(std::move(name), quantities(source, scenario)).first->second;
  }

 private:
  std::vector<PlanQuantity> quantities(const RowSource& source, const Scenario& scenario) const {
    switch (source.analysis) {
      case Analysis::plan:
        return plan_quantities(make_plan(scenario));
      case Analysis::rail:
        return rail_quantities(scenario);
      case Analysis::network:
        return network_quantities(answer_networks(scenario));
      case Analysis::stored:
        return simulated(scenario, quick_);
      case Analysis::slowed:
        return slowed(scenario, scenario_with(source.simulation, source.transport), quick_);
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

  bool quick_;
  std::map<std::string, std::vector<PlanQuantity>> quantities_;
};

Verdict judge(const ReproducedRow& row) {
  if (row.relation == "<=") return *row.computed <= row.published ? Verdict::ok : Verdict::differs;
  if (row.relation == ">=") return *row.computed >= row.published ? Verdict::ok : Verdict::differs;
  // A tolerance of 0 still allows for the last bit of a double.
  constexpr double kRounding_pct = 1e-9;
  const double allowed_pct = row.tolerance_pct.value_or(0) + kRounding_pct;
  return std::abs(row.difference_pct()) <= allowed_pct ? Verdict::ok : Verdict::differs;
}

ReproducedRow published_row(const std::vector<std::string>& fields) {
  TY_ASSERT(fields.size() == 8, "published.csv has eight columns");
  ReproducedRow row;
  row.id = fields[0];
  row.source = fields[1];
  row.where = fields[2];
  row.quantity = fields[3];
  row.published = shipped_number(kPublished, fields[4]);
  row.unit = fields[5];
  if (!fields[6].empty()) row.tolerance_pct = shipped_number(kPublished, fields[6]);
  row.relation = "=";
  row.note = fields[7];
  return row;
}

void add_note(ReproducedRow& row, const std::string& note) {
  if (!note.empty()) row.note = row.note.empty() ? note : row.note + "; " + note;
}

void compute(ReproducedRow& row, const RowSource& source, Plans& plans) {
  row.relation = source.relation;
  add_note(row, source.note);
  const auto& quantities = plans.of(source);
  const bool stored = source.analysis == Analysis::stored || source.analysis == Analysis::slowed;
  if (stored && quantities.empty()) {
    return add_note(row, "not yet: the stored result is of other settings; tools/simulated makes it again");
  }
  const PlanQuantity& quantity = find_quantity(quantities, source.quantity);
  if (stored) add_note(row, quantity.label);
  row.computed = quantity.value / unit_factor(row.unit);
  row.verdict = judge(row);
}

}  // namespace

std::vector<ReproducedRow> reproduce(const std::string& paper, bool quick) {
  if (std::find(papers().begin(), papers().end(), paper) == papers().end()) {
    fail_input(whole("reproduce"), "no paper '" + paper + "'", suggestion(paper, papers()));
  }
  Plans plans(quick);
  std::vector<ReproducedRow> rows;
  for (const std::vector<std::string>& record : shipped_records(kPublished)) {
    ReproducedRow row = published_row(record);
    if (paper != "all" && row.source != paper) continue;
    if (const RowSource* source = source_of(row.id)) {
      compute(row, *source, plans);
    } else {
      add_note(row, "not yet: nothing computes this row");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace trainyard
