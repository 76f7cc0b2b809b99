// More bandwidth in simulations and on graphs.
//
// It may rightly be slower there: senders that see more of it send more, and lose more at a queue that did
// not grow, which they find out a timeout later; a new link can draw traffic onto a way that is worse for all
// (Braess 1968). So: fewer links of a tree are never faster, faster links never slower for rates of flows,
// and for packets by some timeouts at most.
#include <gtest/gtest.h>

#include <string>

#include "drawn_simulation.h"
#include "draws.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"
#include "trainyard/traffic.h"

namespace trainyard::properties {
namespace {

Draft with_faster_links(const Draft& draft) {
  return draft.with([](std::string_view section, std::string_view key, const Amount& amount) {
    return section == "design" && key == "rate" ? amount.doubled() : amount;
  });
}

// 400 draws: never slower.
TEST(Bandwidth, MoreIsNeverSlowerForRatesOfFlows) {
  const auto flows = [](const Scenario& s) { return simulate(s, {.engine = SimulationEngine::flow}); };
  for_all({40}, draw_flows, flows, [&](const Draft& draft, const SimulationResult& slow, Dice&) {
    const SimulationResult fast = flows(with_faster_links(draft).scenario());
    EXPECT_LE(fast.longest, slow.longest);
    EXPECT_LE(fast.mean, slow.mean);
    EXPECT_LE(fast.ideal, slow.ideal);
  });
}

class PacketBandwidth : public testing::TestWithParam<const char*> {};

TEST_P(PacketBandwidth, CostsSomeTimeoutsAtMost) {
  constexpr double kTimeouts = 20;  // 8 were the most of 240 draws, of IRN under incast
  constexpr double kRarely = 0.2;   // of 12 draws; of 160 it were two at most
  int all = 0;
  int slower = 0;
  const auto draw = [](Dice& dice) { return draw_packets(dice, GetParam()); };
  const auto packets = [](const Scenario& s) { return simulate(s); };
  for_all({12}, draw, packets, [&](const Draft& draft, const SimulationResult& slow, Dice&) {
    const Scenario faster = with_faster_links(draft).scenario();
    const SimulationResult fast = simulate(faster);
    EXPECT_LE(fast.longest, slow.longest + kTimeouts * *faster.simulation.timeout);
    EXPECT_LE(fast.ideal, slow.ideal);
    ++all;
    slower += fast.longest > slow.longest ? 1 : 0;
  });
  EXPECT_LE(slower, kRarely * all);
}

INSTANTIATE_TEST_SUITE_P(Transports, PacketBandwidth,
                         testing::Values("ideal", "ndp", "homa", "eqds", "smartt", "nscc", "rccc", "roce",
                                         "hpcc", "swift", "dctcp", "cubic", "bbr", "irn", "scheduled", "fec"),
                         [](const auto& how) { return std::string(how.param); });

// A flow that a failure slows leaves more of the links that it shares to others, among them perhaps the last
// one: one of 200 draws was 0.4% faster, on a tree with fewer links at the top.
TEST(Bandwidth, AFailureIsHardlyEverFasterForRatesOfFlows) {
  const auto draw = [](Dice& dice) {
    Draft draft = draw_packets(dice, "ndp");
    draft.section("simulation").text("load_balancing", "spray");
    return draft;
  };
  const auto flows = [](const Scenario& s) { return simulate(s, {.engine = SimulationEngine::flow}); };
  constexpr double kFaster = 0.05;
  int n = 0;
  Widest widest;
  for_all({40}, draw, flows, [&](const Draft& draft, const SimulationResult& whole, Dice& dice) {
    Draft failing = draft;
    failing.element("failure").text("node", "leaf " + std::to_string(dice.between(0, 1))).set("uplink", 0);
    const auto failed = answered([&] { return flows(failing.scenario()); });
    if (!failed) return;
    ++n;
    EXPECT_GE(failed->longest / whole.longest, 1 - kFaster);
    widest.add(std::max(0.0, 1 - failed->longest / whole.longest));
  });
  EXPECT_GT(n, draws(40) / 2);
}

/// A tree whose leaves hold 16 hosts each, with `ratio` times as many links down as up.
Draft draw_tree(Dice& dice, std::int64_t ratio) {
  constexpr std::int64_t kLeaf = 16;
  Draft draft;
  const std::int64_t hosts = 64 * dice.between(1, 4);
  draft.section("facility").set("devices", hosts).text("hb_domain", "dgx-h100");
  draft.section("model").text("name", "llama3-8b");
  draft.element("design")
      .text("name", "tree")
      .text("topology", dice.pick<std::string>({"fat_tree", "rail_optimized"}))
      .set("hosts", hosts)
      .set("radix", kLeaf + kLeaf / ratio)
      .set("tiers", 2)
      .set("oversubscription", "[" + std::to_string(ratio) + "]")
      .set("rate", gbps(400))
      .text("prices", "railonly23");
  return draft;
}

TEST(Bandwidth, FewerLinksOfATreeAreNeverFaster) {
  const int count = draws(40);
  for (int n = 1; n <= count; ++n) {
    Dice dice(static_cast<std::uint64_t>(n));
    const std::string traffic = dice.pick(traffic_names());
    Seconds before{0};
    for (const std::int64_t ratio : {1, 2, 4, 8}) {
      Dice same(static_cast<std::uint64_t>(n));
      const NetworkDesign design = simulated_design(draw_tree(same, ratio).scenario());
      const NetworkLoad load = load_of(design, named_traffic(design, traffic, Bytes(1e6), 1));
      EXPECT_GE(load.bound, before) << n << " " << traffic << " " << ratio;
      EXPECT_GT(load.bound.si(), 0);
      before = load.bound;
    }
  }
}

}  // namespace
}  // namespace trainyard::properties
