// goodput: a training run of months, with failures, spares and checkpoints.
#include "trainyard/goodput.h"

#include <ctime>

#include "cli/loading.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/goodput.h"
#include "trainyard/resilience_truth.h"
#include "trainyard/scenario_text.h"
#include "trainyard/step_at_rate.h"

namespace trainyard {
namespace {

constexpr unsigned kMostRuns = 1000000;

struct GoodputOptions : ScenarioOptions {
  unsigned runs = 0;       // --runs; 0: resilience.runs
  bool published = false;  // --published
  std::string report;      // --report FILE
  unsigned threads = 1;
};

void declare_goodput(Flags& flags, GoodputOptions& options) {
  flags.scenario(options).required(false);
  const Flag runs =
      flags.option("--runs", options.runs, "runs that are simulated, in place of resilience.runs")
          .within(1, kMostRuns);
  flags
      .flag("--published", options.published,
            "what operators published, beside what the catalog's failure sets predict")
      .excludes(runs);
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
  flags.threads(options.threads, "threads that simulate (1); the result is the same");
}

Seconds processor_seconds() { return Seconds(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); }

std::string run_published(const GoodputOptions& options) {
  if (!options.scenario.empty())
    fail_input(whole("--published"), "a scenario and --published", "one of them");
  if (!options.report.empty())
    fail_input(whole("--report"), "published runs have no page", "--json or --csv");
  if (!options.sets.empty())
    fail_input(whole("--set " + options.sets.front()), "published runs have no settings of yours",
               "a scenario in place of --published");
  const std::vector<ResilienceRow> rows = published_resilience(catalog_with(options.catalog_folders));
  return in_format(options.format == Format::text ? resilience_table(rows) : resilience_records(rows),
                   options.format);
}

std::string run_goodput(const GoodputOptions& options) {
  if (options.published) return run_published(options);
  if (options.scenario.empty())
    fail_input(whole("goodput"), "no scenario", "a scenario file, the name of a shipped one, or --published");
  std::vector<FlagChange> changes;
  if (options.runs > 0) changes.push_back({"resilience.runs=" + std::to_string(options.runs), "--runs"});
  const ScenarioText text = load(options, changes);
  if (!options.report.empty()) check_writable(options.report);
  const Plan plan = make_plan(text.resolve());
  const GoodputCase question = goodput_case(plan, step_at_rate(plan));
  const Seconds before = processor_seconds();
  const GoodputAnswer answer = study_goodput(plan, question, options.threads);
  const Seconds spent = processor_seconds() - before;
  if (!options.report.empty()) write_announced("report", options.report, goodput_page(plan.scenario, answer));
  switch (options.format) {
    case Format::json:
      return goodput_json(plan.scenario, answer, spent);
    case Format::csv:
      return goodput_csv(answer);
    case Format::text:
      return goodput_text(plan.scenario, answer, spent);
  }
  return {};
}

}  // namespace

Verb goodput_verb() {
  return make_verb("goodput",
                   "a run of months: failures, spares, checkpoints; days and dollars to the target",
                   declare_goodput, run_goodput);
}

}  // namespace trainyard
