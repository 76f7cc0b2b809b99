// Cost of max-min fair rates and of flow simulations, on 8,192 hosts under two tiers of switches.
#include <benchmark/benchmark.h>

#include <cmath>
#include <numeric>

#include "network/flow/flow_simulation.h"
#include "network/flow/max_min.h"
#include "network/flow/networks.h"
#include "network/packet/queueing.h"
#include "topology/topology.h"
#include "trainyard/load_balancing.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace {

using namespace trainyard;

constexpr std::uint32_t kHosts = 8192;

std::unique_ptr<flow::Network> two_tiers(std::int64_t hosts, LoadBalancing load_balancing) {
  static const Scenario scenario = ScenarioText::load("ndp-permutation").resolve();
  DesignInput input = scenario.designs.at(0);
  input.hosts = hosts;
  input.radix = 2 * std::lround(std::sqrt(static_cast<double>(hosts) / 2));
  return flow::network_of(resolve_design(scenario, input), {.load_balancing = load_balancing});
}

/// Every host sends to so many others: `count` permutations.
std::vector<flow::RouteQuery> permutations(std::uint32_t hosts, std::uint32_t count) {
  std::vector<flow::RouteQuery> out;
  std::vector<std::uint32_t> to(hosts);
  for (std::uint32_t p = 0; p < count; ++p) {
    std::iota(to.begin(), to.end(), 0);
    for (std::uint32_t i = hosts - 1; i > 0; --i) std::swap(to[i], to[below(mixed(p, i), i)]);
    for (std::uint32_t h = 0; h < hosts; ++h) out.push_back({h, to[h], out.size()});
  }
  return out;
}

/// One full solution. In the arguments: permutations, LoadBalancing.
void solve(benchmark::State& state) {
  const auto network = two_tiers(kHosts, static_cast<LoadBalancing>(state.range(1)));
  flow::MaxMinProblem problem;
  problem.capacity = network->capacities();
  flow::Route route;
  for (const flow::RouteQuery& query : permutations(kHosts, static_cast<std::uint32_t>(state.range(0)))) {
    network->route(query, {}, route);
    for (const flow::LinkShare& use : route) problem.link.push_back(use.link);
    problem.first.push_back(problem.link.size());
  }
  flow::MaxMinSolver solver;
  flow::MaxMinRates fair;
  for (auto _ : state) solver.solve(problem, fair);
  state.counters["s_per_flow"] =
      benchmark::Counter(static_cast<double>(problem.flows()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(solve)
    ->Args({1, static_cast<int>(LoadBalancing::ecmp)})
    ->Args({128, static_cast<int>(LoadBalancing::ecmp)})
    ->Args({1, static_cast<int>(LoadBalancing::spray)})
    ->Args({128, static_cast<int>(LoadBalancing::spray)})
    ->Unit(benchmark::kMillisecond);

/// Flows that begin together, until all have ended; of equal sizes, or each of another one.
void complete(benchmark::State& state) {
  const auto network = two_tiers(kHosts, static_cast<LoadBalancing>(state.range(0)));
  const bool equal = state.range(1) != 0;
  const auto flows = permutations(kHosts, 1);
  double solved = 0;
  double events = 0;
  for (auto _ : state) {
    flow::FlowSimulation sim(*network);
    for (const flow::RouteQuery& query : flows) {
      const double bytes = equal ? 1e6 : 1e6 + static_cast<double>(mixed(query.hash) % 1000000);
      sim.add({.from = query.from, .to = query.to, .bytes = Bytes(bytes)});
    }
    sim.run();
    solved = static_cast<double>(sim.solved());
    events = static_cast<double>(sim.events());
  }
  state.counters["solved"] = solved;
  state.counters["events"] = events;
}
BENCHMARK(complete)
    ->Args({static_cast<int>(LoadBalancing::ecmp), 1})
    ->Args({static_cast<int>(LoadBalancing::ecmp), 0})
    ->Args({static_cast<int>(LoadBalancing::spray), 1})
    ->Args({static_cast<int>(LoadBalancing::spray), 0})
    ->Unit(benchmark::kMillisecond);

/// 1,047,552 flows of an all-to-all among 1,024 hosts.
void all_to_all(benchmark::State& state) {
  constexpr std::uint32_t kMembers = 1024;
  const auto network = two_tiers(kMembers * 2, static_cast<LoadBalancing>(state.range(0)));
  for (auto _ : state) {
    flow::FlowSimulation sim(*network);
    for (std::uint32_t from = 0; from < kMembers; ++from) {
      for (std::uint32_t to = 0; to < kMembers; ++to) {
        if (from != to) sim.add({.from = from, .to = to, .bytes = Bytes(1e6)});
      }
    }
    sim.run();
    state.counters["ended"] = static_cast<double>(sim.ended());
    state.counters["events"] = static_cast<double>(sim.events());
  }
}
BENCHMARK(all_to_all)
    ->Arg(static_cast<int>(LoadBalancing::spray))
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// 128 steps of a ring over 8,192 hosts, each flow after the one before it: 1,048,576 flows.
void ring(benchmark::State& state) {
  constexpr std::uint32_t kSteps = 128;
  const auto network = two_tiers(kHosts, static_cast<LoadBalancing>(state.range(0)));
  for (auto _ : state) {
    flow::FlowSimulation sim(*network);
    for (std::uint32_t step = 0; step < kSteps; ++step) {
      for (std::uint32_t h = 0; h < kHosts; ++h) {
        flow::FlowRequest request{.from = h, .to = (h + 1) % kHosts, .bytes = Bytes(1e6)};
        if (step > 0) request.after = {{(step - 1) * kHosts + (h + kHosts - 1) % kHosts}};
        request.hash = h;
        sim.add(request);
      }
    }
    sim.run();
    state.counters["ended"] = static_cast<double>(sim.ended());
    state.counters["events"] = static_cast<double>(sim.events());
  }
}
BENCHMARK(ring)->Arg(static_cast<int>(LoadBalancing::spray))->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
