#include <ctime>

#include "base/errors.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "report/step_text.h"
#include "search/sweep.h"
#include "step/timeline.h"

namespace trainyard {
namespace {

/// How --network is written, and what makes it.
struct NetworkChoice {
  const char* name;
  TransferModelMaker (*maker)();
};

const std::vector<NetworkChoice>& networks() {
  static const std::vector<NetworkChoice> all = {{"analytic", analytic_network}};
  return all;
}

TransferModelMaker chosen_network(const std::string& name) {
  std::vector<std::string> names;
  for (const NetworkChoice& choice : networks()) {
    if (choice.name == name) return choice.maker();
    names.emplace_back(choice.name);
  }
  fail_input(whole("--network"), "no network model '" + name + "'", suggestion(name, names));
}

Seconds processor_time() { return Seconds(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); }

}  // namespace

std::string run_step(const StepOptions& options) {
  ScenarioText text = load(options);
  if (!options.schedule.empty()) text.set("step.schedule=" + options.schedule, "--schedule");
  const TransferModelMaker network = chosen_network(options.network);
  for (const std::string& path : {options.trace, options.report}) {
    if (!path.empty()) check_writable(path);
  }
  const Plan plan = make_plan(text.resolve());
  const Seconds before = processor_time();
  StepSimulation step = simulate_step(plan, network);
  step.timeline.network = options.network;
  if (!options.trace.empty()) write_announced("trace", options.trace, step_trace(step));
  if (!options.report.empty()) write_announced("report", options.report, step_page(step, plan));
  switch (options.format) {
    case Format::json:
      return step_json(step, plan);
    case Format::csv:
      return step_csv(step);
    case Format::text:
      return step_text(step, plan, processor_time() - before);
  }
  return {};
}

}  // namespace trainyard
