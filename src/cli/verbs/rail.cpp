// rail: the right size of an HB domain.
#include "trainyard/report/rail.h"

#include "cli/loading.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/rail.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct RailOptions : ScenarioOptions {
  std::string chart;
  std::string batch_chart;
};

void declare_rail(Flags& flags, RailOptions& options) {
  flags.scenario(options);
  flags.option("--chart", options.chart, "write iteration time against HB-domain size as SVG").writes();
  flags.option("--batch-chart", options.batch_chart, "write relative performance against batch size as SVG")
      .writes();
}

std::string run_rail(const RailOptions& options) {
  const Scenario scenario = load(options).resolve();
  if (!options.chart.empty())
    write_announced("chart", options.chart, chart_svg(rail_chart(analyse_rail(scenario))));
  if (!options.batch_chart.empty()) {
    const RailAnalysis analysis = analyse_rail(scenario);
    if (analysis.by_batch.empty())
      fail_input(whole("--batch-chart"), "the scenario has no rail.batches", "give several");
    write_announced("chart", options.batch_chart, chart_svg(rail_batch_chart(analysis)));
  }
  if (options.format == Format::json) return rail_json(scenario);
  if (options.format == Format::csv) return rail_csv(scenario);
  return rail_text(scenario);
}

}  // namespace

Verb rail_verb() {
  return make_verb("rail", "the right size of an HB domain (rail-only equations 1 to 3)", declare_rail,
                   run_rail);
}

}  // namespace trainyard
