// scaling: loss-optimal model sizes over training time.
#include "cli/loading.h"
#include "cli/verb.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct ScalingOptions : ScenarioOptions {
  std::string chart;
};

void declare_scaling(Flags& flags, ScalingOptions& options) {
  flags.scenario(options);
  flags.option("--chart", options.chart, "write the chart as SVG").writes();
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

}  // namespace

Verb scaling_verb() {
  return make_verb("scaling", "loss-optimal model sizes over training time", declare_scaling, run_scaling);
}

}  // namespace trainyard
