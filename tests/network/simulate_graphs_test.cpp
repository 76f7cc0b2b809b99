// Simulations of packets on networks that are no folded Clos of three tiers at most.
#include <gtest/gtest.h>

#include <algorithm>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

/// At 100 Gbps, with links of 1 us.
Scenario scenario(const std::string& design, const std::vector<std::string>& settings,
                  const std::string& rest = {}) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(
      SourceText{"test.toml",
                 "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
                 "[[design]]\nname = \"d\"\ndomain = 1\nrate = \"100 Gbps\"\nprices = \"railonly23\"\n" +
                     design + "[simulation]\nbytes = \"1 MB\"\nwindow = 100\n" + rest}));
  for (const std::string& setting : settings) text.set(setting);
  return text.resolve();
}

constexpr const char* kTree = "hosts = 512\nradix = 8\n";  // four full tiers
constexpr const char* kDragonfly = "topology = \"dragonfly\"\nhosts = 72\nradix = 7\n";
constexpr const char* kTorus = "topology = \"torus\"\nhosts = 64\ndimensions = [4, 4, 4]\n";

std::string said(const Scenario& s, const SimulationRun& run = {}) {
  try {
    simulate(s, run);
  } catch (const InputError& e) {
    std::string out;
    for (const Finding& f : e.findings()) out += f.message + "; " + f.help + "\n";
    return out;
  }
  return "nothing";
}

/// On a ring of five routers every host sends to the router next but one, all the same way around: each link
/// waits for the next one.
TEST(SimulateGraphs, ADeadlockIsNamedByTheCycleOfPorts) {
  const Scenario s = scenario("topology = \"torus\"\nhosts = 5\ndimensions = [5]\n",
                              {"simulation.transport=roce", "simulation.bytes=10 MB"},
                              "pause_above = 8\nresume_below = 6\n[dcqcn]\nenabled = false\n");
  SimulationRun run;
  run.files.flows = std::make_shared<const SourceText>(
      SourceText{"flows.csv",
                 "from,to,bytes,start_s\n0,2,10000000,0\n1,3,10000000,0\n2,4,10000000,0\n"
                 "3,0,10000000,0\n4,1,10000000,0\n"});
  const std::string text = said(s, run);
  EXPECT_NE(
      text.find("ports wait for each other's pauses to end; router 0 port 1 -> router 1 port 2 -> router 2 "
                "port 2 -> router 3 port 2 -> router 4 port 2 -> router 0 port 1\n"),
      std::string::npos)
      << text;
}

/// Hosts of a torus have the rate of six links, of which a flow to the next host takes one: two flows of a
/// host are no slower than one, and many to one host share all of them. Added up, the times of host and link
/// would be more than packets take.
TEST(SimulateGraphs, TheFluidBoundCountsASlowerWayOnce) {
  for (const char* traffic : {"ring", "pipeline", "incast", "all_to_all"}) {
    SCOPED_TRACE(traffic);
    const std::string sent = std::string("simulation.traffic=") + traffic;
    const SimulationResult bound = simulate(scenario(kTorus, {sent, "simulation.transport=ideal"}));
    const SimulationResult packets = simulate(scenario(kTorus, {sent}));
    EXPECT_LT(bound.longest.si(), packets.longest.si());
    EXPECT_GE(bound.longest.si(), bound.ideal.si() * (1 - 1e-9));
  }
}

/// 63 flows of 1 MB with 100 bytes beside each 4,096: the receiver's link takes 2.4% longer.
TEST(SimulateGraphs, TheFluidBoundCountsTheHeadersOfAllFlows) {
  const std::string tree = "hosts = 64\nradix = 16\n";
  const Scenario s =
      scenario(tree, {"simulation.traffic=incast", "simulation.transport=ideal"}, "header = \"100 B\"\n");
  const double bytes = 63 * (1e6 + 245 * 100);
  const SimulationResult bound = simulate(s);
  EXPECT_GT(bound.longest.si(), bytes * 8 / 100e9);
  EXPECT_LT(bound.longest.si(), bytes * 8 / 100e9 + 20e-6);
}

TEST(SimulateGraphs, ATreeOfFourTiersCarriesAPermutation) {
  const Scenario s = scenario(kTree, {});
  const SimulationResult packets = simulate(s);
  EXPECT_EQ(packets.counters.finished, 512U);
  EXPECT_EQ(packets.link_count, 8);
  ASSERT_EQ(packets.link_names.size(), 4U);
  EXPECT_EQ(packets.link_names[3], "aggregation 2 to core");
  SimulationRun flows;
  flows.engine = SimulationEngine::flow;
  EXPECT_NEAR(simulate(s, flows).longest / packets.longest, 1, 0.1);
}

TEST(SimulateGraphs, AFlowAloneTakesTheSameAtFlowLevel) {
  for (const char* design : {kTree, kDragonfly}) {
    for (const char* bytes : {"1 B", "4096 B"}) {
      const Scenario s =
          scenario(design, {"simulation.active=0.03", std::string("simulation.bytes=") + bytes});
      SimulationRun flows;
      flows.engine = SimulationEngine::flow;
      EXPECT_NEAR(simulate(s, flows).longest.si(), simulate(s).longest.si(), 1e-9) << design << bytes;
    }
  }
}

TEST(SimulateGraphs, EveryFlowTakesAtLeastItsLeast) {
  for (const char* design : {kTree, kDragonfly, kTorus}) {
    for (const char* routing : {"minimal", "valiant", "ugal"}) {
      if (design == kTree && std::string(routing) != "minimal") continue;
      const SimulationResult r = simulate(scenario(design, {std::string("simulation.routing=") + routing}));
      EXPECT_GE(*std::min_element(r.slowdowns.begin(), r.slowdowns.end()), 1) << design << routing;
    }
  }
}

/// One path from a router to the next but one: a short last packet stays behind the full one before it.
TEST(SimulateGraphs, AFlowAloneTakesItsLeast) {
  const Scenario s =
      scenario("topology = \"torus\"\nhosts = 64\ndimensions = [8, 8]\n", {"simulation.transport=roce"});
  for (const char* bytes : {"4096", "20000", "100000"}) {
    const std::string flows = std::string("from,to,bytes,start_s\n0,2,") + bytes + ",0\n";
    SimulationRun run;
    run.files.flows = std::make_shared<const SourceText>(SourceText{"flows.csv", flows});
    const SimulationResult r = simulate(s, run);
    ASSERT_EQ(r.slowdowns.size(), 1U);
    EXPECT_NEAR(r.slowdowns.front(), 1, 1e-6) << bytes;
  }
}

/// The port of a torus's switch to its host is faster than its links: sent on before all of it had come, a
/// packet would be ahead of its own bits.
TEST(SimulateGraphs, CutThroughIsNoFasterThanTheSlowestLink) {
  for (const char* design : {kTorus, kDragonfly, kTree}) {
    const Scenario s = scenario(design, {"simulation.cut_through=true", "simulation.traffic=all_to_all",
                                         "simulation.active=0.1", "simulation.bytes=100 kB"});
    for (const double slowdown : simulate(s).slowdowns) EXPECT_GE(slowdown, 1 - 1e-9) << design;
    const Scenario alone = scenario(
        design, {"simulation.cut_through=true", "simulation.active=0.03", "simulation.bytes=4096 B"});
    const SimulationResult stored =
        simulate(scenario(design, {"simulation.active=0.03", "simulation.bytes=4096 B"}));
    EXPECT_LT(simulate(alone).longest.si(), stored.longest.si() * (1 + 1e-9)) << design;
  }
}

TEST(SimulateGraphs, RunsOfAnyNumberOfThreadsAreTheSame) {
  for (const char* routing : {"minimal", "valiant", "ugal"}) {
    const Scenario s = scenario(kTorus, {std::string("simulation.routing=") + routing});
    SimulationRun three;
    three.threads = 3;
    const SimulationResult a = simulate(s);
    const SimulationResult b = simulate(s, three);
    for (std::size_t f = 0; f < a.flows.size(); ++f) ASSERT_EQ(a.flows[f].finished, b.flows[f].finished);
  }
}

TEST(SimulateGraphs, LosslessTransportsHaltInCyclesAndSayWhere) {
  const std::string message = said(
      scenario(kTorus, {"simulation.transport=roce", "simulation.routing=valiant", "simulation.bytes=4MB"}));
  EXPECT_NE(message.find("ports wait for each other"), std::string::npos) << message;
  EXPECT_NE(message.find("router"), std::string::npos) << message;
}

TEST(SimulateGraphs, SwitchesThatFailAreNamedByTheirKind) {
  const std::string failure = "[[failure]]\nnode = \"router 5\"\nfrom = \"10 us\"\nuntil = \"200 us\"\n";
  EXPECT_EQ(simulate(scenario(kTorus, {}, failure)).counters.finished, 64U);
  const std::string unknown = said(scenario(kTorus, {}, "[[failure]]\nnode = \"leaf 5\"\n"));
  EXPECT_NE(unknown.find("no node 'leaf 5'"), std::string::npos) << unknown;
}

TEST(SimulateGraphs, TelemetryOfSevenSwitchesIsCarried) {
  EXPECT_EQ(simulate(scenario(kTorus, {"simulation.transport=hpcc"})).counters.finished, 64U);
}

TEST(SimulateGraphs, WhatCannotBeRoutedIsRefused) {
  const std::string on_tree = said(scenario("hosts = 32\nradix = 8\n", {"simulation.routing=ugal"}));
  EXPECT_NE(on_tree.find("folded Clos"), std::string::npos) << on_tree;
  const std::string in_order =
      said(scenario(kDragonfly, {"simulation.routing=ugal", "simulation.transport=roce"}));
  EXPECT_NE(in_order.find("go-back-N"), std::string::npos) << in_order;
  const char* ring = "topology = \"torus\"\nhosts = 64\ndimensions = [32, 2]\n";
  const std::string far = said(scenario(ring, {"simulation.transport=hpcc"}));
  EXPECT_NE(far.find("room for 15 switches"), std::string::npos) << far;
  const std::string reserved = said(scenario(kDragonfly, {"simulation.transport=scheduled"}));
  EXPECT_NE(reserved.find("reserve"), std::string::npos) << reserved;
  const std::string many =
      said(scenario("topology = \"torus\"\nhosts = 27000\ndimensions = [30, 30, 30]\n", {}));
  EXPECT_NE(many.find("7.29e+08 routes"), std::string::npos) << many;
  SimulationRun flows;
  flows.engine = SimulationEngine::flow;
  const std::string at_flow_level = said(scenario(kDragonfly, {"simulation.routing=valiant"}), flows);
  EXPECT_NE(at_flow_level.find("shortest ways"), std::string::npos) << at_flow_level;
}

}  // namespace
}  // namespace trainyard
