// [[tier]]: links of different delay and rate within one network, and queues of different size.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

/// 128 hosts over three tiers, four to a leaf, of switches with eight ports, unless `design` says otherwise.
Scenario scenario(const std::string& rest, const std::vector<std::string>& settings = {},
                  const std::string& design = "hosts = 128\nradix = 8\n") {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(
      SourceText{"test.toml",
                 "[facility]\ndevices = 128\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
                 "[[design]]\nname = \"d\"\ndomain = 1\nrate = \"100 Gbps\"\nprices = \"railonly23\"\n" +
                     design + "[simulation]\nlink_delay = \"1 us\"\n" + rest}));
  for (const std::string& setting : settings) text.set(setting);
  return text.resolve();
}

constexpr const char* kTiers =
    "[[tier]]\ntier = 0\ndelay = \"300 ns\"\n"
    "[[tier]]\ntier = 1\ndelay = \"700 ns\"\nrate = \"50 Gbps\"\n"
    "[[tier]]\ntier = 2\ndelay = \"5 us\"\nrate = \"25 Gbps\"\n";

SimulationRun with_flows(const std::string& rows, SimulationEngine engine = SimulationEngine::packet) {
  SimulationRun run;
  run.engine = engine;
  run.files.flows = std::make_shared<const SourceText>(SourceText{"f.csv", "from,to,bytes,start_s\n" + rows});
  return run;
}

Picoseconds received(const Scenario& s, const SimulationRun& run) {
  return simulate(s, run).flows.front().received;
}

TEST(Tiers, GiveALoneFlowTheTimesOfItsLinks) {
  constexpr Picoseconds kOfPacket = 4096ULL * 80;  // on a host's link
  const Picoseconds by_links[] = {300'000 + kOfPacket, 700'000 + 2 * kOfPacket, 5'000'000 + 4 * kOfPacket};
  const Scenario s = scenario(kTiers);
  // To the same leaf, the same pod, another pod.
  const std::pair<int, std::size_t> goals[] = {{1, 1}, {5, 2}, {127, 3}};
  for (const auto& [to, tiers] : goals) {
    SCOPED_TRACE(to);
    Picoseconds expected = 0;
    for (std::size_t t = 0; t < tiers; ++t) expected += 2 * by_links[t];
    const std::string flow = fmt::format("0,{},4096,0\n", to);
    EXPECT_EQ(received(s, with_flows(flow)), expected);
    // A flow of rates is stored and forwarded everywhere but at its slowest link.
    EXPECT_NEAR(static_cast<double>(received(s, with_flows(flow, SimulationEngine::flow))),
                static_cast<double>(expected), 4.0 * kOfPacket);
    // Hosts' links alone know when their senders do.
    const Scenario ideal = scenario(kTiers, {"simulation.transport=ideal"});
    EXPECT_NEAR(static_cast<double>(simulate(ideal, with_flows(flow)).flows.front().finished),
                static_cast<double>(simulate(s, with_flows(flow)).flows.front().finished), 1000);
  }
}

/// Switches send on at the header, but not by a link that may be faster: of packets and of rates alike.
TEST(Tiers, CutThroughOfRatesIsThatOfPackets) {
  for (const auto& [first, second] : {std::pair(50, 25), std::pair(100, 400), std::pair(400, 100),
                                      std::pair(200, 400), std::pair(50, 100)}) {
    const Scenario s = scenario(
        fmt::format("cut_through = true\nload_balancing = \"ecmp\"\n[[tier]]\ntier = 1\nrate = \"{} Gbps\"\n"
                    "[[tier]]\ntier = 2\nrate = \"{} Gbps\"\n",
                    first, second));
    for (const int to : {1, 5, 127}) {
      const std::string flow = fmt::format("0,{},4096,0\n", to);
      const SimulationResult packets = simulate(s, with_flows(flow));
      EXPECT_NEAR(static_cast<double>(received(s, with_flows(flow, SimulationEngine::flow))),
                  static_cast<double>(packets.flows.front().received), 10)
          << first << " " << second << " to " << to;
      EXPECT_NEAR(packets.slowdowns.front(), 1, 1e-5) << first << " " << second << " to " << to;
    }
  }
}

/// Whatever slower links others would take.
TEST(Tiers, FlowsOfRatesTakeTheirLeast) {
  for (const char* balancing : {"ecmp", "spray"}) {
    const Scenario s = scenario(kTiers, {std::string("simulation.load_balancing=") + balancing});
    for (const int to : {1, 5, 127}) {
      const std::string flow = fmt::format("0,{},1000000,0\n", to);
      const SimulationResult r = simulate(s, with_flows(flow, SimulationEngine::flow));
      EXPECT_NEAR(r.slowdowns.front(), 1, 1e-6) << balancing << " to " << to;
    }
  }
}

TEST(Tiers, LimitWhatPassesThem) {
  // Four hosts of a leaf send to another pod over four links up of 25 Gbps each: a quarter of theirs.
  const std::string rows = "0,124,4000000,0\n1,125,4000000,0\n2,126,4000000,0\n3,127,4000000,0\n";
  const std::string slow_top = "[[tier]]\ntier = 2\nrate = \"25 Gbps\"\n";
  const auto last = [&](const Scenario& s, SimulationEngine engine) {
    Picoseconds out = 0;
    for (const workload::Flow& flow : simulate(s, with_flows(rows, engine)).flows)
      out = std::max(out, flow.received);
    return static_cast<double>(out);
  };
  // A pod of 16 hosts has 16 links up: alone, four hosts have 16 x 25 Gbps for their 400.
  EXPECT_NEAR(last(scenario(slow_top), SimulationEngine::flow) / last(scenario(""), SimulationEngine::flow),
              1, 0.02);
  const std::string slow_leaf = "[[tier]]\ntier = 1\nrate = \"25 Gbps\"\n";
  EXPECT_NEAR(last(scenario(slow_leaf), SimulationEngine::flow), 4 * 4e6 * 80, 0.02 * 4 * 4e6 * 80);
  const double packets = last(scenario(slow_leaf), SimulationEngine::packet);
  EXPECT_GE(packets, 4 * 4e6 * 80);
  EXPECT_LE(packets, 1.1 * 4 * 4e6 * 80);
}

TEST(Tiers, HaveQueuesOfTheirOwn) {
  // Three hosts of a leaf to the fourth: only the port down to it fills.
  const std::string rows = "1,0,400000,0\n2,0,400000,0\n3,0,400000,0\n";
  const auto longest = [&](const std::string& tier) {
    return simulate(scenario(tier), with_flows(rows)).counters.longest_queue;
  };
  EXPECT_EQ(longest(""), 50U * 4096U);
  EXPECT_EQ(longest("[[tier]]\ntier = 0\nqueue = 7\n"), 7U * 4096U);
  EXPECT_EQ(longest("[[tier]]\ntier = 0\nqueue = 7\nqueue_down = 9\n"), 9U * 4096U);
  EXPECT_EQ(longest("[[tier]]\ntier = 1\nqueue = 7\n"), 50U * 4096U);
  EXPECT_EQ(longest("[[tier]]\ntier = 0\nqueue_up = 7\n"), 50U * 4096U);  // nothing is sent up there
}

TEST(Tiers, OfOtherNetworksAreThoseThatResultsName) {
  const std::string dragonfly = "topology = \"dragonfly\"\nhosts = 72\nradix = 12\n";
  const std::string tier = "[[tier]]\ntier = 2\ndelay = \"20 us\"\n";
  const Scenario s = scenario(tier, {}, dragonfly);
  const Scenario usual = scenario("", {}, dragonfly);
  const SimulationResult result = simulate(s, with_flows("0,71,4096,0\n"));
  ASSERT_GE(result.link_names.size(), 3U);
  // Another group is one long link away, which takes 19 us more.
  EXPECT_EQ(result.flows.front().received,
            received(usual, with_flows("0,71,4096,0\n")) + picoseconds(Seconds(19e-6)));
  EXPECT_EQ(received(s, with_flows("0,1,4096,0\n")), received(usual, with_flows("0,1,4096,0\n")));
  EXPECT_NEAR(result.ideal.si(), static_cast<double>(result.flows.front().finished) * 1e-12, 1e-9);
}

std::string refusal(const std::string& rest, const std::vector<std::string>& settings = {},
                    const SimulationRun& run = {}) {
  try {
    simulate(scenario(rest, settings), run);
  } catch (const InputError& error) {
    return error.findings().front().message;
  }
  return "none";
}

TEST(Tiers, AreRefusedWhereThereAreNone) {
  EXPECT_EQ(refusal("[[tier]]\ntier = 3\n"), "tier 3 of a network with 3 tiers of links");
  EXPECT_EQ(refusal("[[tier]]\ntier = 1\n[[tier]]\ntier = 1\n"), "tier 1 again");
  EXPECT_EQ(refusal("[[tier]]\ntier = 0\nrate = \"25 Gbps\"\n"),
            "links of hosts have the rate of the design");
  EXPECT_EQ(refusal("[[tier]]\ntier = 1\n", {"simulation.extent=datacenter"}),
            "tiers are told apart in one network");
  const std::string dragonfly = "design=[{name='d', topology='dragonfly', hosts=72, radix=12, domain=1}]";
  EXPECT_EQ(refusal("[[tier]]\ntier = 1\nqueue_up = 5\n", {dragonfly}), "this network has no up and down");
  SimulationRun flow;
  flow.engine = SimulationEngine::flow;
  EXPECT_EQ(refusal("[[tier]]\ntier = 1\n", {dragonfly}, flow),
            "at flow level tiers are told apart in one folded Clos network");
}

}  // namespace
}  // namespace trainyard
