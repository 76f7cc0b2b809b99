// operate: training beside other work on one site, through the hours of a day.
#include "cli/loading.h"
#include "cli/verb.h"
#include "trainyard/files.h"
#include "trainyard/operation.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/operation.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct OperateOptions : ScenarioOptions {
  std::string report;  // --report FILE
};

void declare_operate(Flags& flags, OperateOptions& options) {
  flags.scenario(options);
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
}

std::string run_operate(const OperateOptions& options) {
  if (!options.report.empty()) check_writable(options.report);
  const Plan plan = make_plan(load(options).resolve());
  const OperationAnswer answer = study_operation(plan);
  if (!options.report.empty())
    write_announced("report", options.report, operation_page(plan.scenario, answer));
  switch (options.format) {
    case Format::json:
      return operation_json(plan.scenario, answer);
    case Format::csv:
      return operation_csv(answer);
    case Format::text:
      return operation_text(plan.scenario, answer);
  }
  return {};
}

}  // namespace

Verb operate_verb() {
  return make_verb("operate",
                   "training beside other work: devices, power, dollars through a day; power swings",
                   declare_operate, run_operate);
}

}  // namespace trainyard
