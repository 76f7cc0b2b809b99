// Whole runs of what stands on a plan alone: the plan with its pictures, sweeps, searches, scaling laws, the
// rail-only analysis and traffic matrices.
#include "question.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/quantities.h"
#include "trainyard/rail.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/plan.h"
#include "trainyard/report/rail.h"
#include "trainyard/report/search.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/scenario/search.h"
#include "trainyard/search.h"
#include "trainyard/traffic.h"

namespace trainyard::fuzz {
namespace {

constexpr std::size_t kFewPoints = 12;

std::string of_plan(const Plan& plan) { return plan_json(plan) + plan_text(plan) + plan_csv(plan); }

std::string of_pictures(const Plan& plan) {
  return placement_svg(plan) + layer_svg(plan) + explain(plan_quantities(plan), "step.exposed_share");
}

std::string of_sweeps(const ScenarioText& text, const Plan& plan) {
  std::vector<SweepResult> results;
  for (const SweepInput& sweep : plan.scenario.sweeps) {
    if (std::max(sweep.values.size(), static_cast<std::size_t>(sweep.points)) * sweep.series.size() >
        kFewPoints)
      return {};
    results.push_back(run_sweep(text, sweep, reader_of(sweep, plan)));
  }
  std::string out = sweeps_json(results, provenance_of(plan.scenario)) + sweeps_csv(results);
  for (const SweepResult& result : results) out += sweep_text(result) + chart_svg(sweep_chart(result));
  return out;
}

std::string of_scaling(const Plan& plan) {
  const auto curves = scaling_curves(plan.scaling.rate);
  return scaling_json(curves, plan.scaling.rate, provenance_of(plan.scenario)) + scaling_csv(curves) +
         scaling_text(curves, plan.scaling.rate) + chart_svg(scaling_chart(curves));
}

std::string of_rail(const Scenario& scenario) {
  if (scenario.rail.clusters.size() * scenario.rail.domain_sizes.size() > kFewPoints) return {};
  return rail_json(scenario) + rail_text(scenario) + rail_csv(scenario) +
         chart_svg(rail_chart(analyse_rail(scenario)));
}

std::string of_traffic(const TrafficMatrix& matrix, const Scenario& scenario) {
  const TrafficSummary summary = summarize(matrix);
  return traffic_json(summary, provenance_of(scenario)) + traffic_text(summary) + traffic_csv(summary);
}

std::string of_search(const ScenarioText& text) {
  constexpr std::uint64_t kMostPoints = 24;
  SearchAnswer answer;
  answer.title = text.title();
  answer.question = search_question(text, text.search());
  answer.question.most = kMostPoints;
  answer.result = search(text, answer.question);
  return search_json(answer, provenance_of(text)) + search_csv(answer) + search_text(answer);
}

std::string answer_plan(const Question& question, const ScenarioText& text) {
  const std::string& asked = question.words.front();
  if (asked == "search") return of_search(text);
  const Scenario scenario = text.resolve();
  if (asked == "rail") return of_rail(scenario);
  if (asked == "rail_traffic") {
    const RailAnalysis analysis = analyse_rail(scenario);
    return of_traffic(traffic_of(analysis.rail, analysis.best.model_group), scenario);
  }
  const Plan plan = make_plan(scenario);
  if (asked == "pictures") return of_pictures(plan);
  if (asked == "sweep") return of_sweeps(text, plan);
  if (asked == "scaling") return of_scaling(plan);
  if (asked == "traffic") return of_traffic(traffic_of(plan), scenario);
  return of_plan(plan);
}

}  // namespace

const Asking& asking() {
  static const Asking all = {
      {{"plan", "pictures", "sweep", "scaling", "rail", "rail_traffic", "traffic", "search"}},
      {"facility", "training", "model", "mapping", "precision", "network", "assumptions", "rail", "sweep",
       "search"},
      answer_plan};
  return all;
}

}  // namespace trainyard::fuzz
