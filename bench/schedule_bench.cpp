// Cost of a replayed job: a month of 100,000 jobs on 2,048 devices at 2:1, with rings and with all-to-alls.
// Prints jobs a second and ns a job.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/jobs.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/schedule.h"

namespace {

using namespace trainyard;

Scenario cluster(const char* traffic, const char* placement) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(
      SourceText{"bench",
                 "[facility]\ndevices = 2048\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-70b\"\n"
                 "[[design]]\nname = \"tree\"\noversubscription = [2]\n[schedule]\n"}));
  text.set(std::string("schedule.traffic=\"") + traffic + "\"");
  text.set(std::string("schedule.placement=\"") + placement + "\"");
  return text.resolve();
}

void month(benchmark::State& state, const char* traffic, const char* placement) {
  const Scenario scenario = cluster(traffic, placement);
  SyntheticJobs wanted;
  wanted.jobs = 100000;
  wanted.span_s = 30 * 86400.0;
  wanted.load = 0.9;
  const JobList jobs = synthetic_jobs(wanted);
  double slowdown = 0;
  for (auto _ : state) slowdown = study_schedule(scenario, jobs).totals.mean_slowdown;
  state.counters["slowdown"] = slowdown;
  state.counters["s_per_job"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(wanted.jobs),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(month, rings_by_leaf, "ring", "leaf")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(month, all_to_alls_by_leaf, "all_to_all", "leaf")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(month, all_to_alls_anywhere, "all_to_all", "anywhere")->Unit(benchmark::kMillisecond);

}  // namespace
