// circuits: rails of optical circuit switches that change within a step.
#include "trainyard/circuits.h"

#include "cli/loading.h"
#include "cli/verb.h"
#include "trainyard/files.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/circuits.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct CircuitsOptions : ScenarioOptions {
  std::string report;  // --report FILE
};

void declare_circuits(Flags& flags, CircuitsOptions& options) {
  flags.scenario(options);
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
}

std::string run_circuits(const CircuitsOptions& options) {
  if (!options.report.empty()) check_writable(options.report);
  const Plan plan = make_plan(load(options).resolve());
  const CircuitsAnswer answer = study_circuits(plan);
  if (!options.report.empty())
    write_announced("report", options.report, circuits_page(plan.scenario, answer));
  switch (options.format) {
    case Format::json:
      return circuits_json(plan.scenario, answer);
    case Format::csv:
      return circuits_csv(answer);
    case Format::text:
      return circuits_text(plan.scenario, answer);
  }
  return {};
}

}  // namespace

Verb circuits_verb() {
  return make_verb("circuits",
                   "rails of optical circuits that change within a step: overhead, price, power, failures",
                   declare_circuits, run_circuits);
}

}  // namespace trainyard
