// sweep: one setting over many values.
#include <algorithm>

#include "cli/loading.h"
#include "cli/offers.h"
#include "cli/sweeps.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/provenance.h"
#include "trainyard/ranks.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct SweepOptions : ScenarioOptions {
  std::vector<std::string> names;   // of the scenario's sweeps; none: all
  std::string key;                  // --key: a sweep of the command line
  std::vector<std::string> values;  // --values
  std::string quantity;             // --quantity
  std::string chart;                // --chart FILE.svg
};

void declare_sweep(Flags& flags, SweepOptions& options) {
  flags.scenario(options);
  const Flag name =
      flags.option("--name", options.names, "a sweep of the scenario (repeatable; default: all)")
          .repeatable();
  flags.option("--key", options.key, "sweep this setting instead, such as network.scale_out_rate")
      .excludes(name);
  flags.option("--values", options.values, "its values, separated by commas").list();
  flags.option("--quantity", options.quantity, "quantity to chart (default: step.exposed_share)")
      .offers(quantity_names);
  flags.option("--chart", options.chart, "write the chart as SVG").writes();
}

void set_quantity(SweepInput& sweep, const SweepOptions& options) {
  if (options.quantity.empty()) return;
  sweep.quantity = options.quantity;
  sweep.places = with_place(sweep.places, "quantity", whole("--quantity"));
}

/// A sweep of the command line, or those of the scenario that were named.
std::vector<SweepInput> wanted_sweeps(const SweepOptions& options, const Scenario& scenario) {
  if (!options.key.empty()) {
    SweepInput sweep;
    sweep.name = sweep.title = options.key;
    sweep.key = options.key;
    sweep.values = options.values;
    sweep.places = with_place(with_place({}, "key", whole("--key")), "values", whole("--values"));
    set_quantity(sweep, options);
    sweep.series.push_back({"this scenario", {}});
    if (sweep.values.empty()) fail_input(whole("--values"), "--key needs --values");
    refuse_unread_key(options, options.key, "--key");
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
    set_quantity(out.back(), options);
  }
  if (out.empty()) {
    fail_input(whole(scenario.source_name), "the scenario has no [[sweep]]",
               "give --key and --values, or add one");
  }
  return out;
}

std::string run_sweeps(const SweepOptions& options, Ranks* ranks) {
  const ScenarioText text = load(options);
  const Scenario scenario = text.resolve();
  const auto sweeps = wanted_sweeps(options, scenario);
  refuse_swept_changes(options.sets, sweeps, "--set");
  const auto results = run_all(text, sweeps, example_plan(text, scenario, sweeps), ranks);
  if (ranks && !ranks->leads()) return {};
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

}  // namespace

Verb sweep_verb() { return make_verb("sweep", "one setting over many values", declare_sweep, run_sweeps); }

}  // namespace trainyard
