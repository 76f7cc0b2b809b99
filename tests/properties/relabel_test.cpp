// Hosts that change places by a symmetry of the network see the same distribution of completion times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "draws.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard::properties {
namespace {

/// A full fat tree of two or three tiers.
struct Tree {
  std::int64_t radix = 8;
  std::int64_t leaf = 4;  // hosts
  std::int64_t pod = 0;   // leaves; of two tiers all of them
  std::int64_t pods = 1;

  std::int64_t hosts() const { return leaf * pod * pods; }
};

constexpr Tree kTrees[] = {{8, 4, 8, 1}, {8, 4, 4, 8}};

std::vector<std::int64_t> in_any_order(Dice& dice, std::int64_t n) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  dice.shuffle(out);
  return out;
}

/// Pods change places, leaves within each, hosts within each leaf.
std::vector<std::int64_t> symmetry(Dice& dice, const Tree& tree) {
  std::vector<std::int64_t> out;
  for (const std::int64_t pod : in_any_order(dice, tree.pods)) {
    for (const std::int64_t leaf : in_any_order(dice, tree.pod)) {
      for (const std::int64_t host : in_any_order(dice, tree.leaf))
        out.push_back((pod * tree.pod + leaf) * tree.leaf + host);
    }
  }
  return out;
}

struct DrawnFlow {
  std::int64_t from, to, bytes, nanosecond;
};

std::vector<DrawnFlow> draw_some(Dice& dice, const Tree& tree) {
  std::vector<DrawnFlow> out;
  for (int f = 0; f < 80; ++f) {
    const std::int64_t from = dice.between(0, tree.hosts() - 1);
    const std::int64_t to = (from + dice.between(1, tree.hosts() - 1)) % tree.hosts();
    out.push_back({from, dice.one_in(4) ? (from == 0 ? 1 : 0) : to, 1000 * dice.between(5, 300),
                   dice.between(0, 5000)});
  }
  return out;
}

SimulationRun run_of(const std::vector<DrawnFlow>& flows, const std::vector<std::int64_t>& name,
                     SimulationEngine engine) {
  std::string text = "from,to,bytes,start_s\n";
  for (const DrawnFlow& f : flows) {
    text += std::to_string(name[static_cast<std::size_t>(f.from)]) + "," +
            std::to_string(name[static_cast<std::size_t>(f.to)]) + "," + std::to_string(f.bytes) + "," +
            std::to_string(f.nanosecond) + "e-9\n";
  }
  SimulationRun run;
  run.engine = engine;
  run.files.flows = std::make_shared<const SourceText>(SourceText{"flows.csv", std::move(text)});
  return run;
}

Draft draft_of(const Tree& tree, const std::string& transport) {
  Draft draft;
  draft.section("facility").set("devices", tree.hosts()).text("hb_domain", "dgx-h100");
  draft.section("model").text("name", "llama3-8b");
  draft.element("design")
      .text("name", "tree")
      .set("hosts", tree.hosts())
      .set("radix", tree.radix)
      .set("rate", gbps(100))
      .text("prices", "railonly23");
  draft.section("simulation").text("transport", transport);
  return draft;
}

std::vector<double> completions(const SimulationResult& result) {
  std::vector<double> out;
  for (const workload::Flow& flow : result.flows) out.push_back(seconds(flow.finished - flow.began).si());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Relabelled, SprayedFlowsCompleteAtTheSameTimes) {
  const int count = draws(60);
  for (int n = 1; n <= count; ++n) {
    Dice dice(static_cast<std::uint64_t>(n));
    const Tree& tree = kTrees[dice.below(std::size(kTrees))];
    const Scenario scenario = draft_of(tree, "ndp").scenario();
    std::vector<DrawnFlow> flows = draw_some(dice, tree);
    std::vector<std::int64_t> same(static_cast<std::size_t>(tree.hosts()));
    std::iota(same.begin(), same.end(), 0);
    const auto before = completions(simulate(scenario, run_of(flows, same, SimulationEngine::flow)));
    dice.shuffle(flows);
    const auto after =
        completions(simulate(scenario, run_of(flows, symmetry(dice, tree), SimulationEngine::flow)));
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t f = 0; f < before.size(); ++f)
      EXPECT_NEAR(after[f], before[f], 1e-9 * before[f] + 2e-12) << n;
  }
}

/// Means over seeds of the mean completion and of the 90th percentile.
struct Distribution {
  double mean = 0;
  double tail = 0;
};

Distribution over_seeds(const ScenarioText& text, const SimulationRun& run, int seeds, int first) {
  Distribution out;
  for (int seed = first; seed < first + seeds; ++seed) {
    ScenarioText seeded = text;
    seeded.set("simulation.seed=" + std::to_string(seed));
    const auto times = completions(simulate(seeded.resolve(), run));
    out.mean += std::accumulate(times.begin(), times.end(), 0.0) /
                static_cast<double>(times.size() * static_cast<std::size_t>(seeds));
    out.tail += times[times.size() * 9 / 10] / seeds;
  }
  return out;
}

class RelabelledPackets : public testing::TestWithParam<const char*> {};

TEST_P(RelabelledPackets, HaveTheSameDistribution) {
  constexpr int kSeeds = 8;
  constexpr double kMean = 0.3;  // of one draw
  constexpr double kTail = 0.6;  // of its 90th percentile
  constexpr int kUsual = 8;
  constexpr double kOfAll = 0.08;  // of the usual draws; of fewer, wider as their mean is
  Widest widest;
  Widest widest_tail("widest_tail");
  Widest of_all("of_all");
  double sum = 0;
  const int count = draws(kUsual);
  for (int n = 1; n <= count; ++n) {
    Dice dice(static_cast<std::uint64_t>(n));
    const Tree& tree = kTrees[0];
    const ScenarioText text = draft_of(tree, GetParam()).parsed();
    const std::vector<DrawnFlow> flows = draw_some(dice, tree);
    std::vector<std::int64_t> same(static_cast<std::size_t>(tree.hosts()));
    std::iota(same.begin(), same.end(), 0);
    const Distribution before = over_seeds(text, run_of(flows, same, SimulationEngine::packet), kSeeds, 1);
    const Distribution after =
        over_seeds(text, run_of(flows, symmetry(dice, tree), SimulationEngine::packet), kSeeds, 101);
    EXPECT_NEAR(after.mean / before.mean, 1, kMean) << n;
    EXPECT_NEAR(after.tail / before.tail, 1, kTail) << n;
    widest.add(after.mean / before.mean - 1);
    sum += after.mean / before.mean - 1;
    widest_tail.add(after.tail / before.tail - 1);
  }
  EXPECT_NEAR(sum / count, 0, kOfAll * std::sqrt(std::max(1.0, static_cast<double>(kUsual) / count)));
  of_all.add(sum / count);
}

INSTANTIATE_TEST_SUITE_P(Transports, RelabelledPackets,
                         testing::Values("ndp", "homa", "dctcp", "swift", "roce"),
                         [](const auto& how) { return std::string(how.param); });

}  // namespace
}  // namespace trainyard::properties
