// Cost of a simulated run of 54 days on 16,384 accelerators: every cause, spares, stragglers, a parallel file
// system. Prints runs a second and ns an event.
#include <benchmark/benchmark.h>

#include "trainyard/goodput.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace {

using namespace trainyard;

void months(benchmark::State& state) {
  ScenarioText text = ScenarioText::load("llama3-405b-months");
  text.set("resilience.failures=default");
  const Plan plan = make_plan(text.resolve());
  GoodputCase c = goodput_case(plan, [&](double) { return plan.step.step * 1.01; });
  c.infant_factor = static_cast<double>(state.range(0));
  const Seconds interval = goodput_form(c).interval;
  std::int64_t run = 0;
  std::int64_t events = 0;
  for (auto _ : state) events += simulate_run(c, interval, run++).events;
  state.SetItemsProcessed(state.iterations());  // runs
  state.counters["events_per_run"] = static_cast<double>(events) / static_cast<double>(state.iterations());
  state.counters["s_per_event"] = benchmark::Counter(
      static_cast<double>(events), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
// Without and with a bathtub.
BENCHMARK(months)->Arg(0)->Arg(2);

}  // namespace
