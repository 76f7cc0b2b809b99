// What runs for longer: a step operation by operation, searches, simulations.
#include <chrono>
#include <ctime>
#include <limits>
#include <optional>
#include <vector>

#include "serve/ask.h"
#include "serve/charts.h"
#include "serve/timed.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/printable.h"
#include "trainyard/provenance.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/search.h"
#include "trainyard/report/simulation.h"
#include "trainyard/report/step.h"
#include "trainyard/scenario/search.h"
#include "trainyard/search.h"
#include "trainyard/simulation.h"
#include "trainyard/simulation_progress.h"
#include "trainyard/simulation_result.h"
#include "trainyard/step.h"

namespace trainyard::serving {
namespace {

/// What a browser draws without a pause.
constexpr std::size_t kMostOperations = 60'000;

/// Operations in columns, those that begin first; names of works and resources once.
Json operations_of(const StepSimulation& step) {
  Json works = Json::array();
  for (std::size_t w = 0; w < kStepWorks; ++w) works.push_back(step_work_name(static_cast<StepWork>(w)));
  Json resources = Json::array();
  for (std::size_t r = 0; r < kStepResources; ++r)
    resources.push_back(step_resource_name(static_cast<StepResource>(r)));
  Json rows = Json::array();
  std::size_t all = 0;
  visit_operations(step, [&](const TimedOperation& o) {
    if (o.finish <= o.start || ++all > kMostOperations) return;
    rows.push_back(Json::array({static_cast<int>(o.work), static_cast<int>(o.resource), o.stage,
                                o.replica_class, o.microbatch, o.start.si(), o.finish.si(), o.bytes.si()}));
  });
  return {{"works", works}, {"resources", resources}, {"rows", rows}, {"all", all}};
}

StepNetwork network_named(const std::string& name) {
  return name == "flow" ? StepNetwork::flow : StepNetwork::analytic;
}

/// The best points with the settings that ask for them.
Json best_points(const ScenarioText& text, const SearchResult& result) {
  Json out = Json::array();
  for (const SearchPoint& point : result.ranked)
    out.push_back({{"settings", point_assignments(text, point.choice)}, {"objectives", point.objectives}});
  return out;
}

}  // namespace

StepSimulation stepped(const Ask& ask, const Plan& plan) {
  return simulate_step(plan, {.network = network_named(ask.choice("network", {"analytic", "flow"}))});
}

SearchAnswer searched(const Ask& ask, Teller& teller) {
  const Stopwatch watch;
  SearchAnswer out;
  out.title = printable(ask.text().title());
  out.question = search_question(ask.text(), ask.text().search());
  out.question.threads = static_cast<unsigned>(ask.count("threads", 1, kMostThreads, 1));
  const SearchMeasure objective = out.question.objectives.front();
  out.question.progress = [&](std::uint64_t done, std::uint64_t all, std::optional<double> best) {
    const double rate = static_cast<double>(done) / watch.wall().si();
    teller.progress(static_cast<double>(done), static_cast<double>(all),
                    search_progress_text(objective, {done, all, best, rate}));
  };
  out.result = search(ask.text(), out.question);
  out.cost = {watch.processor(), watch.wall(), out.question.threads};
  return out;
}

Simulated simulated(const Ask& ask, Teller& teller) {
  const Stopwatch watch;
  Simulated out{ask.scenario(), {}, {}};
  SimulationRun run;
  if (ask.choice("network", {"packet", "flow"}) == "flow")
    run.engine = SimulationEngine::flow;
  else
    run.threads = static_cast<unsigned>(ask.count("threads", 1, kMostThreads, 1));
  run.progress = [&](const SimulationProgress& now) {
    teller.progress(static_cast<double>(now.flows_finished), static_cast<double>(now.flows),
                    progress_text(now, watch.wall()));
  };
  out.result = simulate(out.scenario, run);
  out.result.warnings = idle_warnings(ask.text(), idle_settings(out.scenario, run));
  out.cost = {watch.processor(), watch.wall(), peak_memory_bytes()};
  return out;
}

void answer_step(const Ask& ask, Teller& teller) {
  const Plan plan = ask.plan_as_stated();
  const StepSimulation step = stepped(ask, plan);
  if (teller.wants_page()) teller.page(step_page(step, plan));
  teller.result("{\"step\":" + step_json(step, plan) + ",\"operations\":" + operations_of(step).dump() + "}");
}

void answer_search(const Ask& ask, Teller& teller) {
  const SearchAnswer answer = searched(ask, teller);
  if (teller.wants_page()) teller.page(search_page(answer, ask.text(), {ask.text().name()}));
  teller.result("{\"search\":" + search_json(answer, provenance_of(ask.text())) +
                ",\"points\":" + best_points(ask.text(), answer.result).dump() + "}");
}

void answer_simulate(const Ask& ask, Teller& teller) {
  for (const char* section : {"design", "simulation"}) {
    if (!ask.text().has(section))
      fail_input(whole(ask.text().name()), "a simulation needs a section '" + std::string(section) + "'",
                 "try the shipped scenario ndp-permutation");
  }
  const Simulated run = simulated(ask, teller);
  if (teller.wants_page()) teller.page(simulation_page(run.result, run.cost, run.scenario));
  teller.result("{\"simulation\":" + simulation_json(run.result, run.cost, run.scenario) +
                ",\"charts\":" + charts_document(simulation_charts(run.result)) + "}");
}

}  // namespace trainyard::serving
