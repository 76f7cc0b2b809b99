// What is shown while a scenario is edited: the plan, its networks, its months and its places.
#include <ctime>
#include <thread>
#include <vector>

#include "serve/ask.h"
#include "serve/charts.h"
#include "serve/json_text.h"
#include "trainyard/facility.h"
#include "trainyard/goodput.h"
#include "trainyard/grid.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/quantities.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/goodput.h"
#include "trainyard/report/networks.h"
#include "trainyard/report/plan.h"
#include "trainyard/report/siting.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/site.h"
#include "trainyard/step_at_rate.h"

namespace trainyard::serving {
namespace {

/// Every quantity with its words: what a table of the page shows.
Json quantities_of(const Plan& plan) {
  Json out = Json::array();
  for (const PlanQuantity& q : plan_quantities(plan)) {
    out.push_back({{"key", q.key},
                   {"label", q.label},
                   {"shown", shown_quantity(q)},
                   {"formula", q.formula},
                   {"how", q.how},
                   {"source", q.source}});
  }
  return out;
}

Json sections() {
  Json out = Json::array();
  for (const QuantitySection& section : quantity_sections())
    out.push_back({{"name", section.name}, {"title", section.title}});
  return out;
}

/// "name": JSON that is written already.
std::string member(const char* name, const std::string& json) {
  return '"' + std::string(name) + "\":" + json;
}

}  // namespace

void answer_plan(const Ask& ask, Teller& teller) {
  const Plan plan = ask.plan_as_stated();
  teller.result("{" + member("plan", plan_json(plan)) + "," +
                member("quantities", dumped(quantities_of(plan))) + "," +
                member("sections", dumped(sections())) + "," + member("layer_svg", quoted(layer_svg(plan))) +
                "," + member("placement_svg", quoted(placement_svg(plan))) + "}");
}

void answer_networks(const Ask& ask, Teller& teller) {
  const Scenario scenario = ask.scenario();
  const auto told = [&scenario](const std::vector<NetworkAnswer>& answers) {
    std::vector<NetworkDesign> designs;
    for (const NetworkAnswer& answer : answers) designs.push_back(answer.design);
    return "{" + member("networks", networks_json(answers, provenance_of(scenario))) + "," +
           member("svg", quoted(networks_svg(designs))) + "}";
  };
  const auto first_look = [&](const std::vector<NetworkAnswer>& counted) { teller.draft(told(counted)); };
  teller.result(
      told(trainyard::answer_networks(scenario, {}, first_look, std::thread::hardware_concurrency())));
}

void answer_goodput(const Ask& ask, Teller& teller) {
  const Plan plan = ask.plan();
  const GoodputCase c = goodput_case(plan, step_at_rate(plan));
  const auto told = [&plan](const GoodputCase& of) {
    const std::clock_t before = std::clock();
    const GoodputAnswer answer = study_goodput(plan, of, 1);
    const Seconds took(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    return goodput_json(plan.scenario, answer, took);
  };
  constexpr std::int64_t kFirstRuns = 100;  // some ms, and 95% of runs are seen as they will be
  if (c.runs > 2 * kFirstRuns) {
    GoodputCase first = c;
    first.runs = kFirstRuns;
    teller.draft(told(first));
  }
  teller.result(told(c));
}

void answer_site(const Ask& ask, Teller& teller) {
  if (!ask.text().has("site")) return teller.result("{\"absent\":true}");
  const Scenario scenario = ask.scenario();
  const Grid grid = grid_of(scenario.site);
  const SitingPlan plan = plan_sites(scenario, plan_facility(scenario), grid);
  teller.result("{" + member("site", siting_json(plan, provenance_of(scenario))) + "," +
                member("svg", quoted(siting_map_svg(plan, grid))) + "}");
}

void answer_sweep(const Ask& ask, Teller& teller) {
  const Scenario scenario = ask.scenario();
  if (scenario.sweeps.empty()) return teller.result("{\"absent\":true}");
  const Plan example = example_plan(ask.text(), scenario, scenario.sweeps);
  std::vector<SweepResult> results;
  for (const SweepInput& input : scenario.sweeps) {
    results.push_back(
        run_sweep(ask.text(), input, reader_of(input, example), [&](std::size_t done, std::size_t all) {
          teller.progress(static_cast<double>(done), static_cast<double>(all), input.title);
        }));
  }
  std::vector<Chart> charts;
  for (const SweepResult& result : results) charts.push_back(sweep_chart(result));
  teller.result("{" + member("charts", charts_document(charts)) + "}");
}

}  // namespace trainyard::serving
