// Cost of siting on a grid of the size of the United States: 10,000 plants, 3,000 nodes, 7,000 lines. The
// grid is drawn at random, so that the benchmark needs no data.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "facility/geo.h"
#include "siting/delivery.h"
#include "siting/site_maker.h"
#include "siting/siting.h"

namespace trainyard {
namespace {

constexpr std::uint32_t kPlants = 10'000;
constexpr std::uint32_t kNodes = 3'000;
constexpr std::uint32_t kLines = 7'000;
constexpr Megawatts kPower(300);  // small enough that most pairs of strong places can take it
constexpr Kilometres kRadius(25);

Grid random_grid() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> lat(26, 49);
  std::uniform_real_distribution<double> lon(-124, -68);
  std::lognormal_distribution<double> capacity_mw(3.2, 1.6);  // 1.1 TW in all, as in the United States
  Grid grid;
  grid.authorities.resize(50);
  for (std::size_t a = 0; a < grid.authorities.size(); ++a) {
    grid.authorities[a].code = std::to_string(a);
    grid.authorities[a].published = Megawatts(5000);
  }
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    GridNode node;
    node.at = {lat(random), lon(random)};
    node.peak_load = Megawatts(250);
    grid.nodes.push_back(node);
  }
  for (std::uint32_t p = 0; p < kPlants; ++p) {
    GridPlant plant;
    plant.node = static_cast<std::uint32_t>(random() % kNodes);
    const GeoPoint near = grid.nodes[plant.node].at;
    plant.at = {near.lat_deg + 0.1 * (static_cast<double>(random() % 20) - 10) / 10, near.lon_deg};
    plant.capacity = plant.firm = Megawatts(std::min(7000.0, capacity_mw(random)));
    plant.fuel = Fuel::gas;
    plant.authority = static_cast<std::uint32_t>(std::min(49.0, (near.lon_deg + 124) / 56 * 50));
    grid.plants.push_back(plant);
  }
  for (std::uint32_t l = 0; l < kLines; ++l) {
    GridLine line;
    line.kind = "AC";
    line.from = static_cast<std::uint32_t>(random() % kNodes);
    line.to = (line.from + 1 + static_cast<std::uint32_t>(random() % (kNodes - 1))) % kNodes;
    line.forward = line.reverse = Megawatts(static_cast<double>(random() % 2000));
    grid.lines.push_back(line);
  }
  return grid;
}

const Grid& bench_grid() {
  static const Grid grid = random_grid();
  return grid;
}

SiteInput paper_rule() {
  SiteInput input;
  input.rule = PowerRule::paper;
  return input;
}

/// Every candidate of the country, as the search for splits sees it.
std::vector<SplitPlace> all_places(Megawatts least) {
  const SiteInput input = paper_rule();
  std::vector<std::string> warnings;
  const auto spare = spare_power(bench_grid(), input, warnings);
  const SiteMaker maker(bench_grid(), input, spare);
  std::vector<SplitPlace> places;
  for (const SiteCandidate& c : maker.candidates()) {
    const Site site = maker.site(c, kRadius);
    if (site.usable >= least) places.push_back(maker.split_place(site, UsdPerMegawattHour(60)));
  }
  return places;
}

/// Power nodes of all candidates: every single site of the country at one radius.
void single_sites(benchmark::State& state) {
  bench_grid();
  for (auto _ : state) benchmark::DoNotOptimize(all_places(Megawatts()));
}
BENCHMARK(single_sites)->Unit(benchmark::kMillisecond);

SplitQuestion question(std::size_t sites) {
  SplitQuestion q;
  q.power = kPower;
  q.sites = sites;
  q.least_share = 0.01;
  q.pace = MillisecondsPerKilometre(round_trip_ms_per_km(1.3, 1.468));
  return q;
}

/// All pairs of candidates, none left out.
void all_pairs(benchmark::State& state) {
  const auto places = all_places(Megawatts());
  std::vector<SplitPlace> ordered;
  for (const std::size_t p : by_strength(places)) ordered.push_back(places[p]);
  SplitQuestion q = question(2);
  q.most_sets = 100'000'000;
  std::size_t feasible = 0;
  for (auto _ : state) feasible = find_splits(ordered, q).feasible;
  state.counters["places"] = static_cast<double>(ordered.size());
  state.counters["feasible"] = static_cast<double>(feasible);
}
BENCHMARK(all_pairs)->Unit(benchmark::kMillisecond);

/// Three-way splits over the places that are 50 km apart.
void three_way(benchmark::State& state) {
  const auto places = all_places(0.01 * kPower);
  std::vector<SplitPlace> kept;
  for (const std::size_t p : thinned(places, 2 * kRadius)) kept.push_back(places[p]);
  for (auto _ : state) benchmark::DoNotOptimize(find_splits(kept, question(3)).best.size());
  state.counters["places"] = static_cast<double>(kept.size());
}
BENCHMARK(three_way)->Unit(benchmark::kMillisecond);

/// Headroom of one place by maximum flow, loads already served.
void headroom(benchmark::State& state) {
  const DeliveryNetwork network(bench_grid());
  std::uint32_t node = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(network.headroom({{{node}, std::nullopt}}));
    node = (node + 1) % kNodes;
  }
}
BENCHMARK(headroom)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trainyard
