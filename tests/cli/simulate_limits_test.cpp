// simulate and wide-area: how late, how slow, how fine and how much, and what is said beyond that.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli.h"

namespace trainyard {
namespace {

class SimulationLimits : public Cli {
 protected:
  std::string flows(const std::string& rows) const {
    return "--flows " + file("flows.csv", "from,to,bytes,start_s\n" + rows);
  }
  /// 64 hosts, with more lines of the scenario.
  std::string small_network(const std::string& rate, const std::string& more) const {
    return file("small.toml",
                "title = \"small\"\n[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = "
                "\"llama3-8b\"\n[[design]]\nname = \"d\"\ntopology = \"fat_tree\"\nhosts = 64\nradix = 16\n"
                "rate = \"" +
                    rate + "\"\n" + more);
  }
  void expect_finished(const std::string& simulation, int flows) const {
    const Ran ran = run(simulation + " --json");
    ASSERT_EQ(ran.status, 0) << simulation << ran.err;
    EXPECT_EQ(nlohmann::json::parse(ran.out).at("flows_finished"), flows) << simulation;
  }
};

TEST_F(SimulationLimits, FlowsMayBeginLateAndFarApart) {
  expect_finished("simulate ndp-permutation " + flows("0,5,1000000,10\n"), 1);
  expect_finished(
      "simulate ndp-permutation --transport roce " + flows("0,5,9000,0\n1,5,9000,40\n2,3,9000,900000\n"), 3);
  const std::string poisson =
      "simulate ndp-permutation --set simulation.traffic=poisson --set simulation.flows=10 "
      "--set simulation.load=";
  expect_finished(poisson + "1e-8", 10);
  expect_finished(poisson + "1e-12", 10);
}

TEST_F(SimulationLimits, ALinkMayComeBackLate) {
  const std::string failure =
      "[simulation]\nbytes = \"100 kB\"\n[[failure]]\nnode = \"host 7\"\nfrom = \"1 us\"\n";
  expect_finished("simulate " + small_network("100 Gbps", failure + "until = \"20 s\"\n"), 64);
  expect_refused("simulate " + small_network("100 Gbps", failure), {"no progress", "host 7"});
}

TEST_F(SimulationLimits, NothingIsLaterThanSimulatedTime) {
  for (const char* engine : {"packet", "flow"}) {
    const std::string network = std::string(" --network ") + engine;
    const std::string poisson = "simulate ndp-permutation --set simulation.traffic=poisson" + network;
    for (const char* load : {"1e-14", "1e-300"})
      expect_refused(poisson + " --set simulation.flows=10 --set simulation.load=" + load,
                     {"simulation.load", "4.61e+06 s", "a load of"});
    expect_refused(poisson + " --set simulation.load=1e-9 --set simulation.duration='1e7 s'",
                   {"simulation.duration", "at most 4.61e+06 s"});
    expect_refused("simulate " + small_network("8 kbps", "[simulation]\nbytes = \"1 TB\"\n") + network,
                   {"simulated time ends at 4.61e+06 s"});
  }
  expect_refused(
      "simulate " + small_network("8 kbps", "[simulation]\nbytes = \"1 TB\"\n") + " --transport ideal",
      {"simulated time ends"});
}

TEST_F(SimulationLimits, TimesOfATransportAreNoLongerThanARun) {
  for (const char* key :
       {"hpcc.base_rtt", "nscc.target_delay", "swift.base_target", "swift.hop_target", "swift.flow_range",
        "bbr.rtt_window", "bbr.probe_rtt", "dcqcn.timer", "dcqcn.notification_gap"}) {
    const std::string setting = std::string(key) + "='1e300 s'";
    expect_refused("simulate ndp-permutation --set " + setting, {"--set " + std::string(key), "11.57 days"});
  }
}

TEST_F(SimulationLimits, AReservationHasToSend) {
  const std::string scheduled =
      "simulate ndp-permutation --set simulation.bytes=40kB --transport scheduled "
      "--set scheduled.utilization=";
  expect_refused(scheduled + "1e-300", {"scheduled.utilization", "allowed: ", " to 1"});
  expect_refused(scheduled + "1e-8", {"scheduled.utilization", "allowed: "});
  expect_finished(scheduled + "1e-6", 1024);
}

TEST_F(SimulationLimits, DelaysBetweenSitesAreSimulatedOrRefused) {
  for (const std::string delay : {"1e-300 s", "0.4 ps", "1 ps"})
    expect_refused("wide-area hotnets24-moe --packets --set 'long_haul.site_delay=" + delay + "'",
                   {"long_haul.site_delay"});
  expect_refused(
      "wide-area hotnets24-moe --packets --set 'long_haul.site_delay=1 us' --set "
      "'long_haul.path_rtts=[\"4.000000001 us\"]'",
      {"long_haul.path_rtts", "1 ps"});
  expect_refused("wide-area hotnets24-moe --packets --set 'long_haul.queue=1e300 B'", {"long_haul.queue"});
}

TEST_F(SimulationLimits, FlowsAreCountedBeforeTheyAreMade) {
  const std::string hosts =
      file("large.toml",
           "title = \"large\"\n[facility]\ndevices = 65536\nhb_domain = \"dgx-h100\"\n[model]\nname = "
           "\"llama3-8b\"\n[[design]]\nname = \"d\"\ntopology = \"fat_tree\"\nhosts = 65536\nradix = 64\n"
           "rate = \"100 Gbps\"\n[simulation]\nbytes = \"1 GB\"\n");
  for (const char* traffic : {"all_to_all", "all_to_all_windowed", "ring_all_reduce"})
    expect_refused("simulate " + hosts + " --set simulation.traffic=" + traffic,
                   {"simulation.traffic",
                    std::string(traffic) == "ring_all_reduce" ? "8589803520 flows" : "4294901760 flows"});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(SimulationLimits, ThreadsThatCannotBeStartedEndTheRunWithAMessage) {
  const std::string command = "ulimit -v 2000000; \"" TRAINYARD_PROGRAM
                              "\" simulate ndp-permutation --set simulation.bytes=20kB --threads 300 >" +
                              path("out") + " 2>" + path("err") + " </dev/null";
  const int raw = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(raw));
  EXPECT_EQ(WEXITSTATUS(raw), 1);
  const std::string said = read_all(path("err"));
  EXPECT_TRUE(said.find("of 300 cannot be started") != std::string::npos ||
              said.find("out of memory") != std::string::npos)
      << said;
}
#endif

}  // namespace
}  // namespace trainyard
