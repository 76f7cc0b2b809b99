// simulate and wide-area: how late, how slow, how fine and how much, and what is said beyond that.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
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

TEST_F(SimulationLimits, AControllerMayAnswerLate) {
  const std::string flows = "[simulation]\nbytes = \"100 kB\"\ntransport = \"scheduled\"\n[scheduled]\n";
  expect_finished(
      "simulate " + small_network("100 Gbps", flows + "dead_from = \"0 s\"\ndead_until = \"20 s\"\n"), 64);
  expect_finished("simulate " + small_network("100 Gbps", flows + "delay = \"20 s\"\n"), 64);
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
                   {"toml:", "simulation.bytes", "bytes = \"1 TB\"", "simulated time ends at 4.61e+06 s"});
    const std::string flows = file("flows.csv", "from,to,bytes,start_s\n0,1,1000,0\n2,3,1000000000000,0\n");
    for (const char* connections : {"", " --set simulation.connections_per_flow=4"})
      expect_refused("simulate " + small_network("8 kbps", "") + network + " --flows " + flows + connections,
                     {"flows.csv:3:", "simulated time ends at 4.61e+06 s"});
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

TEST_F(SimulationLimits, ProbesNameWhatIsThere) {
  const std::string small =
      "simulate " + small_network("100 Gbps", "[simulation]\nbytes = \"100 kB\"\n") + " --set \"probe=[{";
  for (const auto& [probe, says] : {
           std::pair("node='leav 0'", "did you mean 'leaf'?"),
           std::pair("node='leaf 99'", "numbered 0 to 7"),
           std::pair("node='leaf'", "names no node"),
           std::pair("node='host 64'", "numbered 0 to 63"),
           std::pair("node='leaf 0',uplink=8", "8 links up"),
           std::pair("node='leaf 0',plane=1", "the network has 1 plane, numbered from 0"),
           std::pair("node='host 0',direction='inn'", "did you mean 'in'?"),
           std::pair("nod='host 0'", "did you mean 'node'?"),
           std::pair("flow=64", "numbered 0 to 63"),
           std::pair("flow=1,node='host 0'", "either 'probe.node' or 'probe.flow'"),
           std::pair("flow=1,plane=1", "a flow has no links of its own"),
           std::pair("interval='1 us'", "either 'probe.node' or 'probe.flow'"),
           std::pair("node='host 0'},{node='host 0'", "earlier probes sample all"),
           std::pair("flow=1},{flow=1,interval='1 us'", "earlier probes sample all"),
           std::pair("node='host 0',interval='0 s'", "probe.interval"),
           std::pair("node='host 0',interval='-1 us'", "probe.interval"),
           std::pair("node='host 0',interval='1e-300 s'", "probe.interval"),
           std::pair("node='host 0',interval='1e300 s'", "probe.interval"),
           std::pair("node='host 0',interval='1 ps'", "intervals "),
           std::pair("node='host 0',from='2 us',until='1 us'", "ends before it begins"),
       })
    expect_refused(small + probe + "}]\"", {says});
  expect_refused(small + "node='host 0'}]\" --network flow", {"--network packet"});
  expect_refused(small + "node='host 0'}]\" --transport ideal", {"sends no packets"});
  expect_refused("simulate ndp-permutation --series " + file("none.csv", ""), {"[[probe]]"});
  expect_refused("simulate topologies --set simulation.design=torus --set \"probe=[{node='leaf'}]\"",
                 {"names no node", "for example \"host 0\", \"router 0\""});
}

TEST_F(SimulationLimits, AProbeOfARefusedFlowIsStillOfAFlow) {
  const Ran ran = run("simulate ndp-permutation --set \"probe=[{flow=-1}]\"");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("'probe.flow' is -1"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("either"), std::string::npos) << ran.err;
}

TEST_F(SimulationLimits, ProbesThatBeginAfterTheRunAreNamed) {
  const Ran ran = run("simulate " + small_network("100 Gbps",
                                                  "[simulation]\nbytes = \"100 kB\"\n[[probe]]\n"
                                                  "flow = 3\nfrom = \"5 s\"\n"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.err.find("1 of 1 series of probes have no samples: that of flow 3 begins at 5.000 s"),
            std::string::npos)
      << ran.err;
}

TEST_F(SimulationLimits, GatewaysThatAreTooFewAreCountedForADatacenter) {
  const auto question = [&](const std::string& gateways) {
    return "simulate " +
           file("far.toml",
                "[facility]\ndevices = 192\ndatacenters = 3\nhb_domain = \"dgx-h100\"\n[model]\nname = "
                "\"llama3-8b\"\n[network]\nwide_area_rtt = \"1 ms\"\n[[design]]\nname = \"d\"\ntopology = "
                "\"rail_only\"\nrails = 8\nradix = 32\nprices = \"railonly23\"\ngateways = " +
                    gateways +
                    "\n[simulation]\nextent = \"cluster\"\nbytes = \"9 kB\"\ntransport = \"nscc\"\n");
  };
  const Ran few = run(question("2"));
  EXPECT_EQ(few.status, 2);
  EXPECT_NE(few.err.find("gateways = 8 at least"), std::string::npos) << few.err;
  EXPECT_EQ(run(question("8")).status, 0);
}

TEST_F(SimulationLimits, DomainsThatNoDatacenterHoldsAreNamed) {
  const std::string question =
      "simulate " +
      file("odd.toml",
           "title = \"odd\"\n[facility]\ndatacenters = 3\nhb_domain = \"dgx-h100\"\n[model]\nname = "
           "\"llama3-8b\"\n[[design]]\nname = \"d\"\ntopology = \"fat_tree\"\nradix = 64\ngateways = 2\n"
           "rate = \"100 Gbps\"\n[simulation]\nbytes = \"9 kB\"\n") +
      " --set facility.devices=";
  const Ran odd = run(question + "40");
  EXPECT_EQ(odd.status, 0) << odd.err;
  EXPECT_NE(odd.err.find("5 HB domains do not divide over 3 datacenters: networks are those of 1 each, and 2 "
                         "stand in none"),
            std::string::npos)
      << odd.err;
  const Ran even = run(question + "48");
  EXPECT_EQ(even.status, 0);
  EXPECT_EQ(even.err, "");
}

TEST_F(SimulationLimits, ErrorsStandAtTheSettingThatTheyAreAbout) {
  const std::string crowded = small_network("100 Gbps", "[simulation]\ntraffic = \"poisson\"\n");
  expect_refused("simulate " + crowded, {".toml:", "error: simulation.load: poisson needs", "[simulation]"});
  expect_refused("simulate " + small_network("100 Gbps", "[simulation]\ntraffic = \"poison\"\n"),
                 {".toml:", "traffic = \"poison\"", "did you mean 'poisson'?"});
  expect_refused("simulate ndp-permutation --window 0", {"--window simulation.window=0: error", "allowed"});
  expect_refused("simulate ndp-permutation --mtu 60000000", {"--mtu simulation.packet=60000000 B: error"});
  expect_refused("simulate ndp-permutation --network flow --window 3",
                 {"--window simulation.window=3: error", "--network packet"});
  expect_refused("simulate " + crowded + " --set simulation.load=0.1 --set simulation.traffic=poison",
                 {"--set simulation.traffic=poison: error: simulation.traffic: no traffic"});
}

TEST_F(SimulationLimits, SeriesAreTheSameForAllThreads) {
  const std::string small =
      "simulate " + small_network("100 Gbps",
                                  "[simulation]\nbytes = \"100 kB\"\n[[probe]]\nnode = "
                                  "\"leaf 0\"\n[[probe]]\nflow = 3\ninterval = \"7 us\"\n");
  const std::string one = file("one.csv", "");
  const std::string two = file("two.csv", "");
  const Ran json = run(small + " --json --series " + one);
  ASSERT_EQ(json.status, 0) << json.err;
  ASSERT_EQ(run(small + " --threads 2 --series " + two).status, 0);
  std::ifstream first(one);
  std::ifstream second(two);
  const std::string lines((std::istreambuf_iterator<char>(first)), {});
  EXPECT_EQ(lines, std::string((std::istreambuf_iterator<char>(second)), {}));
  EXPECT_TRUE(lines.starts_with("probe,time_s,queue_bytes,")) << lines.substr(0, 80);
  EXPECT_NE(lines.find("leaf 0 to host 0,0,0,"), std::string::npos);
  const nlohmann::json probes = nlohmann::json::parse(json.out).at("probes");
  EXPECT_EQ(probes.size(), 2 * 16U + 1);  // both ends of each link, and the flow
  EXPECT_EQ(probes.back().at("received_bytes"), 100'000);
}

/// What the program says it needs is enough, and a byte less is not.
TEST_F(SimulationLimits, ASharedBufferHoldsWhatPausesLetIn) {
  const auto simulation = [](const std::string& bytes) {
    return "simulate ndp-permutation --transport roce --set simulation.bytes=4kB --set "
           "'simulation.shared_buffer=" +
           bytes + " B'";
  };
  const Ran refused = run(simulation("100000"));
  std::smatch need;
  ASSERT_TRUE(std::regex_search(refused.err, need, std::regex("ports need ([0-9]+) bytes"))) << refused.err;
  const std::uint64_t needed = std::stoull(need[1]);
  EXPECT_EQ(run(simulation(std::to_string(needed))).status, 0);
  expect_refused(simulation(std::to_string(needed - 1)), {"simulation.shared_buffer", need.str()});
}

/// 4,090 ports of 2e16 bytes each: more than 64 bits hold.
TEST_F(SimulationLimits, ASharedBufferIsComparedWithWhatItNeedsAtAnyRate) {
  const Ran refused = run(
      "simulate ndp-permutation --transport roce --set simulation.bytes=4kB --set "
      "'simulation.shared_buffer=1 TB' "
      "--set 'design=[{name=\"x\",topology=\"fat_tree\",hosts=4090,radix=4096,rate=\"8e15 bps\"}]' --set "
      "'simulation.link_delay=\"0.1 s\"' --set 'failure=[{node=\"host 0\",from=\"1 us\",rate_share=5e-13}]'");
  EXPECT_EQ(refused.status, 2);
  std::smatch need;
  ASSERT_TRUE(std::regex_search(refused.err, need, std::regex("4090 ports need ([0-9]+) bytes")))
      << refused.err;
  EXPECT_NEAR(std::stod(need[1]) / 3.485e19, 1, 0.01) << need[1];
}

TEST_F(SimulationLimits, LinksRefuseWhatContradictsItself) {
  const std::string roce = "simulate ndp-permutation --set simulation.bytes=40kB";
  for (const auto& [settings, says] : {
           std::pair("credit_buffer='1 kB'", "at least 4096 bytes"),
           std::pair("credit_buffer='0 B'", "simulation.credit_buffer"),
           std::pair("credit_buffer='1 MB' --set simulation.pause=true", "two ways to lose nothing"),
           std::pair("credit_buffer='1 MB' --set simulation.trim=true", "simulation.trim"),
           std::pair("credit_buffer='1 MB' --set 'simulation.shared_buffer=1 GB'", "nobody shares"),
           std::pair("credit_buffer='1 MB' --network flow", "--network packet"),
           std::pair("replay_buffer='1 MB'", "simulation.link_retry = true"),
           std::pair("replay_limit=3", "simulation.link_retry = true"),
           std::pair("link_retry=true --set simulation.replay_buffer='1 kB'", "at least 4096 bytes"),
           std::pair("bit_error_rate=2e-3", "simulation.bit_error_rate"),
           std::pair("bit_error_rate=-1", "simulation.bit_error_rate"),
       })
    expect_refused(roce + " --set simulation." + settings, {says});
  const std::string whole = "simulate whole-datacenter --set simulation.";
  expect_refused(whole + "link_retry=true", {"simulation.extent"});
  expect_refused(whole + "bit_error_rate=1e-9", {"simulation.extent"});
}

TEST_F(SimulationLimits, DeliveryModesAreThoseOfTheirTransports) {
  const std::string nscc = "simulate ndp-permutation --set simulation.bytes=40kB --transport nscc";
  const std::string mode = " --set simulation.delivery=";
  expect_refused("simulate ndp-permutation --transport dctcp" + mode + "rud",
                 {"simulation.delivery", "nscc, rccc"});
  expect_refused(
      "simulate ndp-permutation --transport rccc" + mode + "rod --set simulation.load_balancing=spray",
      {"go-back-N"});
  expect_refused("simulate ndp-permutation --transport ideal" + mode + "rud", {"sends no packets"});
  for (const auto& [settings, says] : {
           std::pair("uudi", "did you mean 'rudi'"),
           std::pair("rod --set simulation.load_balancing=spray", "go-back-N"),
           std::pair("uud --set simulation.load_balancing=reps", "simulation.load_balancing"),
           std::pair("uud --set simulation.traffic=ring_all_reduce", "rod, rud or rudi"),
           std::pair("rudi --set simulation.packets_per_acknowledgement=4", "delivery rod or rud"),
           std::pair("rud --network flow", "--network packet"),
       })
    expect_refused(nscc + mode + settings, {says});
}

TEST_F(SimulationLimits, WhatNobodySendsAgainIsCounted) {
  const std::string question =
      "simulate ndp-permutation --set simulation.bytes=40kB --transport nscc --set "
      "simulation.packet_loss=1e-3 "
      "--set simulation.delivery=";
  const nlohmann::json uud = nlohmann::json::parse(run(question + "uud --json").out);
  const auto lost = uud.at("delivery").at("lost_bytes").get<std::uint64_t>();
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(uud.at("repeats"), 0);
  EXPECT_EQ(uud.at("flows_finished"), 1024);
  std::istringstream rows(run(question + "uud --csv").out);
  std::string row;
  std::getline(rows, row);
  std::uint64_t sum = 0;
  while (std::getline(rows, row)) sum += std::stoull(row.substr(row.rfind(',') + 1));
  EXPECT_EQ(sum, lost);
  EXPECT_NE(run(question + "uud").out.find("never arrived, in"), std::string::npos);
  const nlohmann::json rudi = nlohmann::json::parse(run(question + "rudi --json").out);
  EXPECT_EQ(rudi.at("flows_finished"), 1024);
  EXPECT_GT(rudi.at("delivery").at("delivered_again"), 0);
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

TEST_F(Cli, WhatACommandSetsIsUsed) {
  const std::string small =
      "simulate ndp-permutation --set simulation.bytes=4096B --set simulation.active=0.01 ";
  for (const char* key : {"queue=8", "trim=false", "shared_buffer='1 MB'", "window=9", "timeout='1 ms'"}) {
    const std::string set = std::string("--set \"simulation.") + key + "\"";
    expect_refused(small + "--network flow " + set, {"--set simulation.", "no packets", "--network packet"});
    expect_refused(small + "--transport ideal " + set, {"--set simulation.", "'ideal' sends no packets"});
  }
  expect_refused(small + "--queue 8 --network flow", {"--queue", "no packets"});
  expect_refused(small + "--set ndp.pull_rate=0.5 --network flow", {"--set ndp.pull_rate", "no packets"});
  expect_refused(small + "--set dctcp.gain=0.5", {"--set dctcp.gain", "transport 'ndp' has other settings"});
  expect_refused(small + "--set 'simulation={window=8}' --transport roce",
                 {"transport 'roce' has a window of its own", "for: ndp"});
  expect_refused(small + "--window 8 --transport homa", {"--window", "window of its own"});
  expect_refused(small + "--seed 7 --network flow --set simulation.traffic=ring",
                 {"--seed", "nothing here is drawn"});
  expect_refused(small + "--network flow --set 'tier=[{tier=1,queue=3}]'",
                 {":1:21: error: 'tier.queue'", "no queues"});
  expect_refused(small + "--transport ideal --set 'failure=[{node=\"leaf 0\"}]'",
                 {"knows no links that fail"});
  for (const char* twice :
       {"--set simulation.seed=1 --set 'simulation={seed=2}'", "--set 'simulation={seed=2}' --seed 1"})
    expect_refused("simulate ndp-permutation " + std::string(twice),
                   {"'simulation.seed' is set already by --set"});
  const std::string flows = " --flows " + file("flows.csv", "from,to,bytes,start_s\n0,1,4096,0\n");
  for (const char* key : {"bytes=1MB", "traffic=ring", "active=0.5"})
    expect_refused(std::string("simulate ndp-permutation --set simulation.") + key + flows,
                   {"a file holds the flows"});
  const std::string topology =
      " --topology " +
      file("four.topo",
           "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\nRadix_Up 4\nRadix_Down 4\n"
           "Downlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns "
           "1000\n");
  for (const char* key : {"design=two-tiers", "'link_delay=2 us'"})
    expect_refused(std::string("simulate ndp-permutation --set simulation.") + key + topology + flows,
                   {"a file holds the network"});
  for (const char* key : {"queue=16", "trim=false", "'packet_loss=0.001'"}) {
    const Ran ran = run(std::string("simulate ndp-permutation --set simulation.") + key + topology + flows);
    EXPECT_EQ(ran.status, 0) << key << ran.err;
  }
}

TEST_F(Cli, SettingsThatOthersLeaveNothingToDoAreSaid) {
  const std::string small =
      "simulate ndp-permutation --set simulation.bytes=4096B --set simulation.active=0.01 ";
  const auto warns = [&](const std::string& flags, const std::string& warning) {
    const Ran ran = run(small + flags);
    EXPECT_EQ(ran.status, 0) << flags << ran.err;
    const bool said = ran.err.find("warning: " + warning + " changes nothing: ") != std::string::npos;
    EXPECT_TRUE(warning.empty() ? ran.err.empty() : said) << flags << ran.err;
    const auto json = nlohmann::json::parse(run(small + flags + " --json").out).at("warnings");
    EXPECT_EQ(json.empty(), warning.empty()) << flags << json;
    for (const auto& one : json)
      EXPECT_NE(ran.err.find("warning: " + one.get<std::string>()), std::string::npos) << one;
  };
  warns("--set simulation.mark_from=3", "simulation.mark_from");
  warns("--set simulation.mark_from=3 --set simulation.mark_all=9", "simulation.mark_all");
  warns("--set simulation.mark_from=3 --transport dctcp", "");
  warns("--set simulation.mark_all=9 --transport eqds", "");
  warns("--queue 8 --transport hpcc", "simulation.queue");
  warns("--queue 8 --transport roce", "");  // it marks by its queue
  warns("--set simulation.control_queue=8 --transport irn", "simulation.control_queue");
  warns("--set simulation.control_queue=8", "");
  warns("--set simulation.acknowledgements_first=false --transport homa",
        "simulation.acknowledgements_first");
  warns("--set simulation.failures_known=false", "simulation.failures_known");
  warns("--set simulation.failures_known=false --network flow", "simulation.failures_known");
  warns("--set simulation.failures_known=false --set 'failure=[{node=\"leaf 0\",uplink=0}]'", "");
  warns("--transport ideal --routing valiant", "simulation.routing");
  warns("--set dcqcn.timer='9 us' --transport irn", "dcqcn.timer");
  warns("--set dcqcn.timer='9 us' --transport irn --set irn.dcqcn=true", "");
  warns("--set dcqcn.enabled=false --transport irn --set irn.dcqcn=true", "dcqcn.enabled");
  warns("--set dcqcn.timer='9 us' --transport roce --set dcqcn.enabled=false", "dcqcn.timer");
  warns("--set hpcc.flows_expected=3 --transport hpcc --set hpcc.increase='5 kB'", "hpcc.flows_expected");
  warns("--set scheduled.fallback=0.1 --transport scheduled", "scheduled.fallback");
  warns("--set scheduled.fallback=0.1 --transport fec --set scheduled.delay='9 us'", "");
  warns("--set rccc.shared_requests=false --transport rccc --set simulation.delivery=rod",
        "rccc.shared_requests");
  warns("--set rccc.shared_requests=false --transport rccc --set simulation.delivery=rud", "");
  warns("--set rccc.credit_rate=0.9 --transport rccc --set simulation.delivery=uud", "rccc.credit_rate");
  warns("--set nscc.decrease=0.9 --transport nscc --set simulation.delivery=uud", "nscc.decrease");
  warns("--set nscc.probes=true --transport nscc --set simulation.trim=false", "nscc.probes");
  warns("--set 'simulation.control_packet=80 B' --transport nscc --set simulation.delivery=uud",
        "simulation.control_packet");
}

TEST_F(Cli, WhatAScenarioSaysForOtherRunsIsNoMistake) {
  ASSERT_EQ(run("example ndp-permutation").status, 0);
  const std::string mine = file("mine.toml", read_all(path("out")) + "\n[dctcp]\ngain = 0.5\n");
  for (const char* flags :
       {"", " --network flow", " --transport ideal", " --transport roce", " --network flow --seed 7",
        " --window 8 --transport dctcp", " --network flow --load-balancing ecmp"}) {
    const Ran ran =
        run("simulate " + mine + " --set simulation.bytes=4096B --set simulation.active=0.01" + flags);
    EXPECT_EQ(ran.status, 0) << flags << ran.err;
  }
}

}  // namespace
}  // namespace trainyard
