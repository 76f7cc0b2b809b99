#include <cstdio>

#include "base/errors.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "report/data/plan.h"
#include "report/data/provenance.h"
#include "report/data/quantities.h"
#include "report/data/scaling.h"
#include "report/data/sweeps.h"
#include "report/drawing/chart.h"
#include "report/drawing/layer.h"
#include "report/drawing/placement.h"
#include "report/drawing/sweep_charts.h"
#include "report/page/plan.h"
#include "report/reproduction/data.h"
#include "report/reproduction/reproduction.h"
#include "report/reproduction/stored_runs.h"
#include "report/reproduction/text.h"
#include "report/text/plan.h"
#include "report/text/sweeps.h"
#include "search/sweep.h"

namespace trainyard {
namespace {

/// A sweep of the command line, or those of the scenario that were named.
std::vector<SweepInput> wanted_sweeps(const SweepOptions& options, const Scenario& scenario) {
  if (!options.key.empty()) {
    SweepInput sweep;
    sweep.name = sweep.title = options.key;
    sweep.key = options.key;
    sweep.values = options.values;
    if (!options.quantity.empty()) sweep.quantity = options.quantity;
    sweep.series.push_back({"this scenario", {}});
    if (sweep.values.empty()) fail_input(whole("--values"), "--key needs --values");
    return {sweep};
  }
  if (!options.values.empty()) fail_input(whole("--values"), "--values needs --key");
  std::vector<SweepInput> out;
  std::vector<std::string> names;
  for (const SweepInput& sweep : scenario.sweeps) names.push_back(sweep.name);
  for (const std::string& name : options.names.empty() ? names : options.names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail_input(whole("--name"), "the scenario has no sweep '" + name + "'", suggestion(name, names));
    }
    out.push_back(scenario.sweeps[static_cast<std::size_t>(found - names.begin())]);
    if (!options.quantity.empty()) out.back().quantity = options.quantity;
  }
  if (out.empty()) {
    fail_input(whole(scenario.source_name), "the scenario has no [[sweep]]",
               "give --key and --values, or add one");
  }
  return out;
}

std::vector<SweepResult> run_all(const ScenarioText& text, const std::vector<SweepInput>& sweeps,
                                 const Plan& plan) {
  std::vector<SweepResult> results;
  for (const SweepInput& sweep : sweeps) {
    results.push_back(run_sweep(text, sweep, reader_of(sweep.quantity, plan), progress_bar(sweep.name)));
  }
  return results;
}

}  // namespace

std::string run_plan(const PlanOptions& options) {
  const ScenarioText text = load(options);
  const Plan plan = make_plan(text.resolve());
  if (!options.explain.empty()) return explain(plan_quantities(plan), options.explain);
  if (!options.placement_svg.empty())
    write_announced("placement", options.placement_svg, placement_svg(plan));
  if (!options.layer_svg.empty()) write_announced("layer", options.layer_svg, layer_svg(plan));
  if (!options.report.empty()) {
    write_announced("report", options.report, plan_page(plan, run_all(text, plan.scenario.sweeps, plan)));
  }
  switch (options.format) {
    case Format::json:
      return plan_json(plan);
    case Format::csv:
      return plan_csv(plan);
    case Format::text:
      return plan_text(plan);
  }
  return {};
}

std::string run_sweeps(const SweepOptions& options) {
  const ScenarioText text = load(options);
  const Scenario scenario = text.resolve();
  const auto sweeps = wanted_sweeps(options, scenario);
  const auto results = run_all(text, sweeps, make_plan(scenario));
  if (!options.chart.empty()) {
    if (results.size() > 1)
      fail_input(whole("--chart"), "several sweeps and one chart", "choose one with --name");
    write_announced("chart", options.chart, chart_svg(sweep_chart(results.front())));
  }
  if (options.format == Format::json) return sweeps_json(results, provenance_of(scenario));
  if (options.format == Format::csv) return sweeps_csv(results);
  std::string out;
  for (const SweepResult& result : results) out += (out.empty() ? "" : "\n") + sweep_text(result);
  return out;
}

std::string run_scaling(const ScalingOptions& options) {
  const Scenario scenario = load(options).resolve();
  const Plan plan = make_plan(scenario);
  const auto curves = scaling_curves(plan.scaling.rate);
  if (!options.chart.empty()) write_announced("chart", options.chart, chart_svg(scaling_chart(curves)));
  if (options.format == Format::json) return scaling_json(curves, plan.scaling.rate, provenance_of(scenario));
  if (options.format == Format::csv) return scaling_csv(curves);
  return scaling_text(curves, plan.scaling.rate);
}

std::string run_reproduce(const ReproduceOptions& options) {
  for (const std::string& path : {options.fig5, options.fig6}) {
    if (!path.empty()) check_writable(path);
  }
  const auto points = options.points.empty() ? std::vector<ReproducedRow>{} : figure_points(options.points);
  auto rows = reproduce(options.paper, options.quick);
  rows.insert(rows.end(), points.begin(), points.end());
  const auto runs = [&](const char* figure) { return options.quick ? quick_runs(figure) : stored_runs(); };
  if (!options.fig5.empty()) write_announced("Fig. 5", options.fig5, chart_svg(fig5_chart(runs("fig5"))));
  if (!options.fig6.empty()) write_announced("Fig. 6", options.fig6, chart_svg(fig6_chart(runs("fig6"))));
  const auto shown = [&] {
    if (options.format == Format::json) return reproduction_json(rows);
    if (options.format == Format::csv) return reproduction_csv(rows);
    return reproduction_text(rows, errata(options.paper));
  };
  if (!all_hold(rows, options.quick)) throw FailedCheck(shown(), "rows differ from what is published");
  return shown();
}

}  // namespace trainyard
