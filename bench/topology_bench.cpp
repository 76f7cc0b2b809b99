// Cost per unit of counting, building, loading and searching networks.
#include <benchmark/benchmark.h>

#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/network_search.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/topology_kind.h"

namespace {

using namespace trainyard;

NetworkDesign design(TopologyKind kind, std::int64_t hosts, std::int64_t planes) {
  static const Scenario scenario = ScenarioText::load("hotnets24-networks").resolve();
  DesignInput input;
  input.name = "bench";
  input.topology = kind;
  input.hosts = hosts;
  input.planes = planes;
  return resolve_design(scenario, input);
}

/// Counts of a design, shape included: hosts in the argument.
void count_hosts(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(count(design(TopologyKind::rail_only, state.range(0), 4)));
}
BENCHMARK(count_hosts)->Arg(10'000)->Arg(840'000)->Arg(10'000'000)->Unit(benchmark::kMicrosecond);

/// One rail with four planes as a graph: time and bytes a link.
void build_rail(benchmark::State& state) {
  const NetworkDesign d = design(TopologyKind::fat_tree, state.range(0), 4);
  std::size_t links = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Graph graph = build_graph(d);
    const Adjacency adjacency(graph);
    benchmark::DoNotOptimize(adjacency.nodes());
    links = graph.links.size();
    bytes = links * (sizeof(Link) + 2 * sizeof(Hop)) + graph.nodes * sizeof(std::uint32_t);
  }
  state.counters["links"] = static_cast<double>(links);
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["s_per_link"] =
      benchmark::Counter(static_cast<double>(links),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(build_rail)->Arg(11'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

void load(benchmark::State& state, const char* traffic, bool symmetric) {
  const NetworkDesign d = design(TopologyKind::fat_tree, state.range(0), 1);
  const TrafficMatrix matrix = named_traffic(d, traffic, Bytes(1e6), 1);
  for (auto _ : state)
    benchmark::DoNotOptimize((symmetric ? load_by_symmetry(d, matrix) : load_on_graph(d, matrix)).bound);
  state.counters["s_per_host"] =
      benchmark::Counter(static_cast<double>(d.hosts),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(load, permutation_by_symmetry, "permutation", true)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, all_to_all_by_symmetry, "all_to_all", true)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, permutation_on_graph, "permutation", false)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);

/// The search for 840K hosts, in one number of planes and a few numbers of rails: mixes a second.
void search(benchmark::State& state) {
  ScenarioText text = ScenarioText::load("100b-physical");
  text.set("optimize.planes=[8]");
  text.set("optimize.rails=[1, 8, 72]");
  const Scenario scenario = text.resolve();
  double mixes = 0;
  for (auto _ : state) mixes = static_cast<double>(search_networks(scenario).possible);
  state.counters["mixes_per_s"] = benchmark::Counter(mixes, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(search)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
