// years: a site that is bought in phases, what it trains and costs until the end.
#include "cli/loading.h"
#include "cli/verb.h"
#include "trainyard/files.h"
#include "trainyard/ownership.h"
#include "trainyard/report/ownership.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct YearsOptions : ScenarioOptions {
  std::string report;  // --report FILE
};

void declare_years(Flags& flags, YearsOptions& options) {
  flags.scenario(options);
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
}

std::string run_years(const YearsOptions& options) {
  if (!options.report.empty()) check_writable(options.report);
  const Scenario scenario = load(options).resolve();
  const OwnershipAnswer answer = study_ownership(scenario);
  if (!options.report.empty()) write_announced("report", options.report, ownership_page(scenario, answer));
  switch (options.format) {
    case Format::json:
      return ownership_json(scenario, answer);
    case Format::csv:
      return ownership_csv(answer);
    case Format::text:
      return ownership_text(scenario, answer);
  }
  return {};
}

}  // namespace

Verb years_verb() {
  return make_verb("years",
                   "a site bought in phases: what it trains and costs until the end, watching its ports",
                   declare_years, run_years);
}

}  // namespace trainyard
