// Simulations at flow level, beside packets.
#include <gtest/gtest.h>

#include <string_view>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

/// 64 hosts at 100 Gbps under two tiers of full bisection, links of 1 us.
Scenario scenario(const std::vector<std::string>& settings, const std::string& rest = {}) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(
      SourceText{"test.toml",
                 "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
                 "[[design]]\nname = \"tree\"\nhosts = 64\ndomain = 1\nradix = 16\nrate = \"100 Gbps\"\n"
                 "prices = \"railonly23\"\n[simulation]\nbytes = \"1 MB\"\n" +
                     rest}));
  for (const std::string& setting : settings) text.set(setting);
  return text.resolve();
}

SimulationResult simulate_flows(const Scenario& s, SimulationRun run = {}) {
  run.engine = SimulationEngine::flow;
  return simulate(s, run);
}

TEST(SimulateFlows, APermutationOnAFullTreeTakesTheLeastThatThePacketEngineKnows) {
  const Scenario s = scenario({});
  const SimulationResult flows = simulate_flows(s);
  EXPECT_EQ(flows.counters.finished, 64U);
  EXPECT_FALSE(flows.packets);
  EXPECT_NEAR(flows.longest.si(), least_completion(s).si(), 1e-11);
  EXPECT_NEAR(flows.ideal.si(), least_completion(s).si(), 1e-11);
  EXPECT_NEAR(flows.mean_slowdown, 1, 1e-6);
}

TEST(SimulateFlows, AgreesWithNdpWherePacketsAreSprayedAndQueuesStayShort) {
  for (const char* traffic : {"permutation", "incast", "ring"}) {
    SCOPED_TRACE(traffic);
    const Scenario s = scenario({std::string("simulation.traffic=") + traffic});
    const SimulationResult flows = simulate_flows(s);
    const SimulationResult packets = simulate(s);
    EXPECT_NEAR(flows.longest / packets.longest, 1, 0.08);
    EXPECT_LE(flows.longest.si(), packets.longest.si() * 1.001);
  }
}

TEST(SimulateFlows, MoreHostsThanFlowsAreRefusedBeforeTheyTakeMemory) {
  ScenarioText text = ScenarioText::load("ndp-permutation");
  text.set(
      "design=[{name = \"small\", topology = \"fat_tree\", switch = \"quantum-2\", hosts = 1000000000}]");
  text.set("simulation.design=small");
  EXPECT_THROW(simulate_flows(text.resolve()), InputError);
}

/// A flow's turn comes around after 63 packets, which is most of the timeout: silence begins with what is
/// sent. Of RCCC's flows one in a thousand may: credit for less than a packet is left, so that the packet
/// that asks for an answer is the next one.
TEST(SimulateFlows, SendersOfManyFlowsDoNotTimeOutForNothing) {
  for (const char* transport : {"nscc", "eqds", "rccc"}) {
    SCOPED_TRACE(transport);
    const SimulationResult out =
        simulate(scenario({std::string("simulation.transport=") + transport, "simulation.traffic=all_to_all",
                           "simulation.bytes=3 MB", "simulation.queue=20", "simulation.timeout=30 us"}));
    const std::uint64_t allowed = std::string_view(transport) == "rccc" ? out.flows.size() / 1000 : 0;
    EXPECT_LE(out.counters.timeouts, allowed);
    EXPECT_LE(out.counters.repeats, out.counters.trims + allowed);
  }
}

TEST(SimulateFlows, SinglePathsCollideAsTheyDoForPackets) {
  const Scenario s = scenario({"simulation.load_balancing=ecmp", "simulation.bytes=4MB"});
  EXPECT_NEAR(simulate_flows(s).longest / simulate(s).longest, 1, 0.1);
}

TEST(SimulateFlows, TheLeastTimeOfWhatIsUnreliableHasNoAnswer) {
  const SimulationResult out = simulate(scenario({"simulation.transport=nscc", "simulation.delivery=uud",
                                                  "simulation.traffic=incast", "simulation.active=0.03125"}));
  ASSERT_EQ(out.flows.size(), 1U);
  EXPECT_EQ(out.flows.front().finished, out.flows.front().received);
  EXPECT_GE(out.mean_slowdown, 1);
  EXPECT_LT(out.mean_slowdown, 1.02);
}

TEST(SimulateFlows, SumsOfSwitchesUseAllPlanesAndAreNotAnswered) {
  for (const char* planes : {"1", "2", "4"}) {
    for (const char* group : {"64", "4", "16"}) {
      SCOPED_TRACE(std::string(planes) + " planes, groups of " + group);
      const std::string rest = std::string("traffic = \"in_network_all_reduce\"\ntransport = \"sharp\"\n") +
                               "packet = \"1000 B\"\ngroup = " + group + "\n";
      const Scenario s = scenario({std::string("design=[{name=\"tree\", hosts=64, domain=1, radix=16, "
                                               "rate=\"100 Gbps\", prices=\"railonly23\", planes=") +
                                   planes + "}]"},
                                  rest);
      const SimulationResult flows = simulate_flows(s);
      const SimulationResult packets = simulate(s);
      EXPECT_EQ(flows.counters.finished, 64U);
      EXPECT_NEAR(flows.longest / packets.longest, 1, 1e-3);
      EXPECT_NEAR(flows.ideal / packets.ideal, 1, 1e-9);
      EXPECT_LE(flows.longest.si(), packets.longest.si() * (1 + 1e-9));
    }
  }
  EXPECT_THROW(
      simulate_flows(scenario({"simulation.transport=sharp", "simulation.traffic=in_network_all_reduce"},
                              "[[failure]]\nnode = \"host 0\"\nfrom = \"1 us\"\n")),
      InputError);
}

/// Leaves of seven hosts: of the pairs every fourth stands under two leaves, and its sums come by a spine.
TEST(SimulateFlows, SumsOfTwoHostsTakeTheWayBetweenThem) {
  const Scenario s = scenario({"design=[{name=\"tree\", hosts=56, domain=1, radix=14, rate=\"100 Gbps\", "
                               "prices=\"railonly23\"}]"},
                              "traffic = \"in_network_all_reduce\"\ntransport = \"sharp\"\n"
                              "packet = \"1000 B\"\ngroup = 2\n");
  const SimulationResult flows = simulate_flows(s);
  const SimulationResult packets = simulate(s);
  EXPECT_NEAR(flows.longest / packets.longest, 1, 1e-3);
  EXPECT_NEAR(flows.ideal / packets.ideal, 1, 1e-9);
}

/// The same time at both levels, headers of every shard's packets with it; at flow level a note takes
/// nothing.
TEST(SimulateFlows, ShardsOfSwitchesTakeWhatTheirPacketsTake) {
  for (const char* traffic : {"in_network_reduce_scatter", "in_network_all_gather"}) {
    for (const char* bytes : {"64 kB", "100 kB", "2 MB"}) {
      SCOPED_TRACE(std::string(traffic) + " " + bytes);
      const Scenario s = scenario({std::string("simulation.traffic=") + traffic, "simulation.transport=sharp",
                                   std::string("simulation.bytes=") + bytes, "simulation.header=100 B",
                                   "simulation.queue=1000", "simulation.packet=1000 B"});
      const SimulationResult flows = simulate_flows(s);
      const SimulationResult packets = simulate(s);
      EXPECT_EQ(flows.counters.finished, 64U);
      EXPECT_NEAR(flows.longest / packets.longest, 1, 0.02);
      EXPECT_LE(flows.longest.si(), packets.longest.si() * 1.001);
    }
  }
}

TEST(SimulateFlows, HeadersTakeCapacity) {
  const double bare = simulate_flows(scenario({})).longest.si();
  const double headers = simulate_flows(scenario({"simulation.header=128 B"})).longest.si();
  const double delays = 8e-6;
  EXPECT_NEAR((headers - delays) / (bare - delays), (4096 + 128) / 4096.0, 0.01);
}

TEST(SimulateFlows, CollectivesFollowTheirDependencies) {
  // 2 (N - 1) steps of a ring, each of an N-th of the buffer.
  const Scenario s = scenario({"simulation.traffic=ring_all_reduce", "simulation.bytes=64MB"});
  const SimulationResult r = simulate_flows(s);
  EXPECT_EQ(r.flows.size(), 2U * 63 * 64);
  const double steps = 126 * 1e6 * 8 / 100e9;
  EXPECT_GT(r.end.si(), steps);
  EXPECT_LT(r.end.si(), steps + 126 * 10e-6);
}

TEST(SimulateFlows, AnAllToAllEndsAsOneAndFillsEveryHost) {
  // 63 x 64 flows of 1/63 MB: a host sends 1 MB.
  const Scenario s = scenario({"simulation.traffic=all_to_all"});
  const SimulationResult r = simulate_flows(s);
  EXPECT_EQ(r.counters.finished, 63U * 64);
  const double sending = 1e6 * 8 / 100e9;
  for (const workload::Flow& flow : r.flows) {
    const double received = static_cast<double>(flow.received) / kPicosecondsPerSecond;
    ASSERT_NEAR(received, sending, 6e-6);
    ASSERT_GT(received, sending * 0.999);
  }
}

TEST(SimulateFlows, FailuresStopFlowsUntilTheRepairAndBytesAreCounted) {
  const std::string failure = "[[failure]]\nnode = \"host 0\"\nfrom = \"10 us\"\nuntil = \"1 ms\"\n";
  const SimulationResult r = simulate_flows(scenario({}, failure));
  EXPECT_EQ(r.counters.finished, 64U);
  EXPECT_GT(r.longest.si(), 1e-3);
  EXPECT_LT(r.median.si(), 0.2e-3);
  EXPECT_EQ(r.up.front().bytes, 64'000'000U);
  EXPECT_EQ(r.up.front().ports, 64U);
  const SimulationResult never =
      simulate_flows(scenario({}, "[[failure]]\nnode = \"host 0\"\nfrom = \"10 us\"\n"));
  EXPECT_EQ(never.counters.finished, 62U);
}

TEST(SimulateFlows, RefusesWhatOnlyPacketsHave) {
  EXPECT_THROW(simulate_flows(scenario({}), {.traced_flows = {0}}), InputError);
  SimulationRun run;
  run.checkpoints.file = "somewhere";
  EXPECT_THROW(simulate_flows(scenario({}), run), InputError);
  Scenario limited = scenario({});
  limited.simulation.host_receive_rate = BitRate(1e9);
  EXPECT_THROW(simulate_flows(limited, {}), InputError);
}

}  // namespace
}  // namespace trainyard
