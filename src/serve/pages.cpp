// Reports as one HTML file, which the page offers to save.
#include "serve/ask.h"
#include "serve/timed.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/goodput.h"
#include "trainyard/grid.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/goodput.h"
#include "trainyard/report/plan.h"
#include "trainyard/report/search.h"
#include "trainyard/report/simulation.h"
#include "trainyard/report/siting.h"
#include "trainyard/report/step.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/site.h"
#include "trainyard/step_at_rate.h"

namespace trainyard::serving {
namespace {

std::string plan_report(const Ask& ask, Teller& teller) {
  const Plan plan = ask.plan();
  std::vector<SweepResult> sweeps;
  for (const SweepInput& input : plan.scenario.sweeps) {
    const auto tell = [&](std::size_t done, std::size_t all) {
      teller.progress(static_cast<double>(done), static_cast<double>(all), input.title);
    };
    sweeps.push_back(run_sweep(ask.text(), input, reader_of(input.quantity, plan), tell));
  }
  return plan_page(plan, sweeps);
}

std::string goodput_report(const Ask& ask) {
  const Plan plan = ask.plan();
  return goodput_page(plan.scenario, study_goodput(plan, goodput_case(plan, step_at_rate(plan)), 1));
}

std::string site_report(const Ask& ask) {
  const Scenario scenario = ask.scenario();
  const Grid grid = grid_of(scenario.site);
  return siting_page(plan_sites(scenario, plan_facility(scenario), grid), grid, scenario);
}

std::string page_of(const std::string& what, const Ask& ask, Teller& teller) {
  if (what == "goodput") return goodput_report(ask);
  if (what == "site") return site_report(ask);
  if (what == "step") {
    const Plan plan = ask.plan();
    return step_page(stepped(ask, plan), plan);
  }
  if (what == "search") return search_page(searched(ask, teller), ask.text(), {ask.text().name()});
  if (what == "simulate") {
    const Simulated run = simulated(ask, teller);
    return simulation_page(run.result, run.cost, run.scenario);
  }
  return plan_report(ask, teller);
}

}  // namespace

void answer_report(const Ask& ask, Teller& teller) {
  const std::string what = ask.choice("of", {"plan", "goodput", "site", "step", "search", "simulate"});
  teller.result("{\"html\":" + quoted(page_of(what, ask, teller)) + "}");
}

}  // namespace trainyard::serving
