#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/document.h"
#include "base/errors.h"
#include "report/reproduction/steps.h"
#include "report/reproduction/verdict.h"
#include "step/timeline.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/reproduction.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

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
  row.computed = plan.step.exposed_share * kPercent;
  row.step = {stepped.at("step.exposed_share") * kPercent, *row.computed, (pace - 1) * kPercent};
  row.verdict = judge(row);
  return row;
}

}  // namespace

std::vector<ReproducedRow> figure_points(const std::string& figure, const RowsDone& done) {
  static const std::vector<std::string> names = {"fig3", "fig3a", "fig3b", "fig3c"};
  if (std::find(names.begin(), names.end(), figure) == names.end())
    fail_input(whole("--points"), "no figure '" + figure + "'", suggestion(figure, names));
  const ScenarioText text = ScenarioText::load("hotnets24-dense");
  std::vector<SweepInput> sweeps = text.resolve().sweeps;
  std::erase_if(sweeps, [&](const SweepInput& sweep) { return !sweep.name.starts_with(figure); });
  std::size_t points = 0;
  for (const SweepInput& sweep : sweeps) points += sweep.series.size() * sweep.values.size();
  std::vector<ReproducedRow> rows;
  for (const SweepInput& sweep : sweeps) {
    for (const SweepSeries& series : sweep.series) {
      for (const std::string& value : sweep.values) {
        rows.push_back(figure_point(text, sweep, series, value));
        if (done) done(rows.size(), points);
      }
    }
  }
  return rows;
}

}  // namespace trainyard
