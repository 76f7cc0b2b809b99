#include "report/reproduction.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/errors.h"
#include "base/nearest.h"
#include "network/simulate.h"
#include "report/network_text.h"
#include "report/quantities.h"
#include "report/rail_quantities.h"
#include "report/reproduction_rows.h"
#include "report/reproduction_steps.h"
#include "report/shipped_records.h"
#include "report/stored_runs.h"
#include "scenario/scenario.h"
#include "search/sweep.h"
#include "siting/siting.h"
#include "step/packet_transfers.h"

namespace trainyard {
namespace {

constexpr std::string_view kPublished = "published.csv";

/// Quantities of slowed(): the share in closed form, and simulated over closed time of a microbatch, less
/// one.
constexpr const char* kClosedShare = "step.closed_share";
constexpr const char* kPace = "step.pace";

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
/// simulation takes over the least time, and its closed form; nothing when it is not stored.
std::vector<PlanQuantity> slowed(const Scenario& scenario, const Scenario& simulation, bool quick) {
  const std::vector<PlanQuantity> found = simulated(simulation, quick);
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

  /// Through the simulated step, by key; empty where that says nothing of any row.
  const std::map<std::string, double>& stepped(const RowSource& source) {
    std::string name = source.scenario;
    for (const char* change : source.changes) name += std::string(" ") + change;
    const auto known = stepped_.find(name);
    if (known != stepped_.end()) return known->second;
    const Plan plan = make_plan(scenario_with(source.scenario, source.changes));
    return stepped_.emplace(std::move(name), stepped_quantities(plan, simulate_step(plan))).first->second;
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
  std::map<std::string, std::map<std::string, double>> stepped_;
};

bool agrees(const StepCheck& step) {
  return std::abs(step.apart_pct()) <= kStepAgreement_pct && std::abs(step.pace_pct) <= kStepAgreement_pct;
}

Verdict judge(const ReproducedRow& row) {
  if (row.step && !agrees(*row.step)) return Verdict::differs;
  if (!row.published) return Verdict::ok;
  if (row.relation == "<=") return *row.computed <= *row.published ? Verdict::ok : Verdict::differs;
  if (row.relation == ">=") return *row.computed >= *row.published ? Verdict::ok : Verdict::differs;
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

/// Plans of section 6 whose rows are times and shares of a step.
bool has_step(const RowSource& source) {
  constexpr std::array kQuantities = {"step.exposed_share", "step.forward_s", "step.backward_s",
                                      "step.gradient_hidden_s", "communication.wide_area_rate_hidden_bps"};
  return source.analysis == Analysis::plan &&
         std::find(kQuantities.begin(), kQuantities.end(), std::string_view(source.quantity)) !=
             kQuantities.end();
}

void add_step(ReproducedRow& row, const RowSource& source, Plans& plans) {
  constexpr double kPercent = 100;
  const auto& quantities = plans.of(source);
  const double unit = unit_factor(row.unit);
  if (source.analysis == Analysis::slowed) {
    row.step = {*row.computed, find_quantity(quantities, kClosedShare).value / unit,
                find_quantity(quantities, kPace).value * kPercent};
    return;
  }
  if (!has_step(source)) return;
  const auto& stepped = plans.stepped(source);
  const double pace = stepped.at("step.steady_s") / find_quantity(quantities, "step.steady_s").value;
  row.step = {stepped.at(source.quantity) / unit, *row.computed, (pace - 1) * kPercent};
}

void compute(ReproducedRow& row, const RowSource& source, Plans& plans) {
  row.relation = source.relation;
  add_note(row, source.note);
  const auto& quantities = plans.of(source);
  const bool stored = source.analysis == Analysis::stored || source.analysis == Analysis::slowed;
  row.long_simulation = stored;
  if (stored && quantities.empty()) {
    return add_note(row, "not yet: the stored result is of other settings; tools/simulated makes it again");
  }
  const PlanQuantity& quantity = find_quantity(quantities, source.quantity);
  if (stored) add_note(row, quantity.label);
  row.computed = quantity.value / unit_factor(row.unit);
  add_step(row, source, plans);
  row.verdict = judge(row);
  if (row.step && !agrees(*row.step)) add_note(row, "the simulated step is not its closed form");
}

/// "MoE 8x17T, tail loss" at "400 Gbps" as a part of an id: moe_8x17t_tail_loss.400_gbps
std::string id_part(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.') {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

ReproducedRow figure_point(const ScenarioText& text, const SweepInput& sweep, const SweepSeries& series,
                           const std::string& value) {
  constexpr double kPercent = 100;
  std::vector<Member> changes;
  for (const auto& [key, set] : series.set) changes.push_back(parse_assignment(key + "=" + set, sweep.name));
  changes.push_back(parse_assignment(sweep.key + "=" + value, sweep.name));
  const Plan plan = make_plan(text.resolve(changes));
  const std::map<std::string, double> stepped = stepped_quantities(plan, simulate_step(plan));
  const double pace = stepped.at("step.steady_s") / plan.step.steady_time.si();
  ReproducedRow row;
  row.id = fmt::format("hn.{}.{}.{}", sweep.name, id_part(series.label), id_part(value));
  row.source = "hotnets24";
  row.where = "Fig " + sweep.name.substr(3);
  row.quantity = fmt::format("exposed share, {} at {}", series.label, value);
  row.unit = "%";
  row.relation = "=";
  row.computed = plan.step.exposed_share * kPercent;
  row.step = {stepped.at("step.exposed_share") * kPercent, *row.computed, (pace - 1) * kPercent};
  row.verdict = judge(row);
  return row;
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

std::vector<ReproducedRow> figure_points(const std::string& figure) {
  static const std::vector<std::string> names = {"fig3", "fig3a", "fig3b", "fig3c"};
  if (std::find(names.begin(), names.end(), figure) == names.end())
    fail_input(whole("--points"), "no figure '" + figure + "'", suggestion(figure, names));
  const ScenarioText text = ScenarioText::load("hotnets24-dense");
  std::vector<ReproducedRow> rows;
  for (const SweepInput& sweep : text.resolve().sweeps) {
    if (!sweep.name.starts_with(figure)) continue;
    for (const SweepSeries& series : sweep.series) {
      for (const std::string& value : sweep.values) rows.push_back(figure_point(text, sweep, series, value));
    }
  }
  return rows;
}

bool all_hold(const std::vector<ReproducedRow>& rows, bool quick) {
  return std::all_of(rows.begin(), rows.end(), [quick](const ReproducedRow& row) {
    return row.verdict == Verdict::ok || (quick && row.long_simulation);
  });
}

}  // namespace trainyard
