// Delays that do not go together are refused at the setting that makes them so.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

/// Where the first finding stands: the setting, or the line of a file.
std::string blamed(const std::string& name, const std::vector<std::string>& settings,
                   const SimulationRun& run = {}) {
  try {
    ScenarioText text = ScenarioText::load(name);
    for (const std::string& setting : settings) text.set(setting);
    simulate(text.resolve(), run);
  } catch (const InputError& error) {
    const Finding& finding = error.findings().front();
    return finding.where.source->name + ": " + finding.message;
  }
  return "nothing";
}

bool begins(const std::string& text, const std::string& with) { return text.starts_with(with); }

TEST(DelaySources, DistancesOfDatacentersAreBlamedForThemselves) {
  const std::vector<std::string> cluster = {"simulation.extent=cluster", "facility.datacenters=2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), cluster.begin(), cluster.end());
    return blamed("whole-datacenter", more);
  };
  EXPECT_PRED2(begins, with({"network.wide_area_rtt=259200 s"}),
               "network.wide_area_rtt: a delay of 36.00 h is too long beside the shortest");
  EXPECT_PRED2(begins, with({"simulation.domain_delay=1 ns", "simulation.link_delay=100 ms"}),
               "simulation.link_delay: a delay of 100");
}

TEST(DelaySources, TiersAreBlamedForTheirs) {
  EXPECT_PRED2(begins,
               blamed("ndp-permutation", {"simulation.link_delay=1 ns", "tier=[{tier=1, delay=\"100 ms\"}]"}),
               "--set");
}

TEST(DelaySources, ShortOnesAreBlamedBesideThePackets) {
  const std::string slow =
      "design=[{name=\"d\", topology=\"fat_tree\", hosts=8, radix=8, rate=\"1 kbps\", domain=1}]";
  EXPECT_PRED2(begins,
               blamed("ndp-permutation", {slow, "simulation.link_delay=1 ns", "simulation.bytes=1 B"}),
               "simulation.link_delay: too short beside the time of a packet");
}

TEST(DelaySources, FailuresAreBlamedForWhatTheyLeaveOfARate) {
  const auto with = [](const std::string& share) {
    return blamed("ndp-permutation", {"failure=[{node=\"leaf 0\", rate_share=" + share +
                                      "}, {node=\"leaf 1\", rate_share=0.5}]"});
  };
  EXPECT_PRED2(begins, with("1e-9"), "--set");
  EXPECT_NE(with("1e-9").find("leaves links so slow that a packet takes"), std::string::npos) << with("1e-9");
}

TEST(DelaySources, FilesAreBlamedForTheirLatencies) {
  SimulationRun run;
  run.files.topology = std::make_shared<const SourceText>(
      SourceText{"far.topo",
                 "Nodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n"
                 "Radix_Down 4\nRadix_Up 4\nTier 1\nDownlink_speed_Gbps 100\n"
                 "Downlink_Latency_ns 100000000\nRadix_Down 2\n"});
  EXPECT_PRED2(begins, blamed("ndp-permutation", {}, run), "far.topo: a delay of 100");
}

}  // namespace
}  // namespace trainyard
