// Cost of a packet-hop: NDP permutations over two tiers, acknowledgements and pulls counted.
#include <benchmark/benchmark.h>

#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace {

using namespace trainyard;

void ndp_permutation(benchmark::State& state) {
  ScenarioText text = ScenarioText::load("ndp-permutation");
  text.set("simulation.bytes=" + std::to_string(state.range(2)) + "kB");
  Scenario scenario = text.resolve();
  scenario.designs[0].hosts = state.range(0);
  scenario.designs[0].radix = state.range(1);
  double hops = 0;
  double bytes = 0;
  for (auto _ : state) {
    const SimulationResult result = simulate(scenario);
    hops += static_cast<double>(result.counters.hops);
    bytes = static_cast<double>(result.bytes);
  }
  state.counters["s_per_hop"] =
      benchmark::Counter(hops, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["bytes_per_host"] = bytes / static_cast<double>(state.range(0));
}
BENCHMARK(ndp_permutation)->Args({1024, 64, 2000})->Args({8192, 128, 600})->Unit(benchmark::kMillisecond);

}  // namespace
