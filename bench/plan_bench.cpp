// Cost of one plan, of a point of a sweep, and of a mapping search.
#include <benchmark/benchmark.h>

#include "base/document.h"
#include "search/space/planned_part.h"
#include "search/space/point_planner.h"
#include "search/space/points.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/plan.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

/// Reading the scenario, planning and writing every quantity: what `trainyard plan --json` does after its
/// first page.
void plan_100t(benchmark::State& state) {
  for (auto _ : state) {
    const ScenarioText text = ScenarioText::load("hotnets24-dense");
    benchmark::DoNotOptimize(plan_json(make_plan(text.resolve())));
  }
}
BENCHMARK(plan_100t)->Unit(benchmark::kMicrosecond);

/// One point of a sweep, the scenario already parsed.
void sweep_point(benchmark::State& state) {
  const ScenarioText text = ScenarioText::load("hotnets24-dense");
  const std::vector<Member> changes = {parse_assignment("network.scale_out_rate=400 Gbps", "bench")};
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(text.resolve(changes)).step.exposed_share);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sweep_point)->Unit(benchmark::kMicrosecond);

/// Ten thousand points, as one number, from the rate at which a NIC carries its share of the long haul.
void sweep_10k_points(benchmark::State& state) {
  const ScenarioText text = ScenarioText::load("hotnets24-dense");
  SweepInput sweep;
  sweep.name = sweep.key = "network.scale_out_rate";
  constexpr int kPoints = 10000;
  constexpr int kFirst = 20;
  for (int i = 0; i < kPoints; ++i) sweep.values.push_back(std::to_string(kFirst + i) + " Gbps");
  sweep.series.push_back({"all", {}});
  const QuantityReader reader{"", Unit::fraction, [](const Plan& plan) { return plan.step.exposed_share; }};
  for (auto _ : state) benchmark::DoNotOptimize(run_sweep(text, sweep, reader));
  state.SetItemsProcessed(state.iterations() * kPoints);
}
BENCHMARK(sweep_10k_points)->Unit(benchmark::kMillisecond);

/// Choosing tensor and pipeline sizes: every divisor of the domain and of the layers.
void mapping_search(benchmark::State& state) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  text.set("mapping.tensor=auto");
  text.set("mapping.pipeline=auto");
  text.set("mapping.virtual_stages=1");
  const Scenario scenario = text.resolve();
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(scenario).mapping.tensor);
}
BENCHMARK(mapping_search)->Unit(benchmark::kMicrosecond);

/// A space of a million mappings.
ScenarioText million_mappings() {
  ScenarioText text = ScenarioText::load("llama3-405b");
  text.set("mapping.tensor={search=[1,2,4,8,16]}");
  text.set("mapping.pipeline={search={from=1,to=126,step=1}}");
  text.set("mapping.context={search=[1,2,4,8]}");
  text.set("mapping.virtual_stages={search=[1,2,3,4,5,6,7,8]}");
  text.set("mapping.microbatch={search=[1,2,4,8,16]}");
  text.set("mapping.zero_stage={search=[0,1,2,3]}");
  text.set("mapping.recompute={search=\"all\"}");
  return text;
}

/// Mappings of a space of a million, 20,000 drawn at random, none twice: points per second that fit a device
/// and are planned, those that are refused or do not fit left out.
void mapping_points(benchmark::State& state) {
  constexpr std::size_t kDrawn = 20'000;  // all would take minutes before the first is timed
  const ScenarioText text = million_mappings();
  const std::vector<FreeSetting> space = free_settings(text);
  PointPlanner planner(text, text.free(), PointPlanner::Wanted::numbers);
  const Points points(space, 10'000'000, {}, std::vector<bool>(space.size(), true));
  const auto plan = [&](const std::vector<std::size_t>& choice) {
    return planner.begin(choice) == PointPlanner::State::begun &&
           planner.finish() == PointPlanner::State::planned;
  };
  std::vector<std::vector<std::size_t>> planned;
  for (std::uint64_t i = 0; i < points.count() && planned.size() < kDrawn; ++i) {
    std::vector<std::size_t> choice;
    points.spread(i, choice);
    if (plan(choice)) planned.push_back(std::move(choice));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    plan(planned[next]);
    benchmark::DoNotOptimize(planner.plan().step.days_to_train);
    next = next + 1 < planned.size() ? next + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(mapping_points)->Unit(benchmark::kNanosecond);

/// A space of a million, sampled: points a second that genetic algorithms and descents plan, each once.
void search_by_evolution(benchmark::State& state) {
  const ScenarioText text = million_mappings();
  SearchQuestion question{.objectives = {*find_measure("training_time")},
                          .method = SearchMethod::evolution,
                          .evaluations = 100'000};
  std::uint64_t planned = 0;
  for (auto _ : state) {
    ++question.seed;
    planned += search(text, question).evaluated;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(planned));
}
BENCHMARK(search_by_evolution)->Unit(benchmark::kMillisecond);

/// Every mapping of a space, each a plan of its own: points per second.
void search_mappings(benchmark::State& state) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  text.set("mapping.tensor={search=[1,2,4,8]}");
  text.set("mapping.pipeline={search={from=1,to=32,times=2}}");
  text.set("mapping.virtual_stages={search=[1,2,4,8]}");
  text.set("mapping.microbatch={search=[1,2,4]}");
  text.set("mapping.recompute={search=\"all\"}");
  const SearchQuestion question{.objectives = {*find_measure("training_time")}};
  std::uint64_t points = 0;
  for (auto _ : state) points += search(text, question).points;
  state.SetItemsProcessed(static_cast<std::int64_t>(points));
}
BENCHMARK(search_mappings)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trainyard
