// simulate: traffic, transports, networks and flags.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, HtsimsFilesNeedNoScenario) {
  const std::string topology = file("net.topo",
                                    "Nodes 16\nTiers 2\nPodsize 16\n\nTier 0\nDownlink_speed_Gbps 100\n"
                                    "Radix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 1000\n\nTier 1\n"
                                    "Downlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000\n");
  const std::string flows = file("flows.cm",
                                 "Nodes 16\nConnections 2\n0->15 id 1 start 0 size 40960\n"
                                 "15->3 id 2 start 1000000 size 1\n");
  const std::string both = "simulate --topology " + topology + " --connections " + flows;
  const Ran ran = run(both + " --transport ndp --window 50 --queue 50 --mtu 4096 --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["flows_finished"], 2);
  // Ten packets of 4,160 bytes, three of them more on the way, four delays, and 64 bytes back.
  EXPECT_NEAR(json["fct_s"]["max"].get<double>(), (13 * 4160 + 4 * 64) * 80e-12 + 8e-6, 1e-15);
  EXPECT_NE(run(both + " --transport ndpp").err.find("ndp"), std::string::npos);
  EXPECT_EQ(run("simulate --topology " + topology).status, 2);
  EXPECT_EQ(run("simulate").status, 2);
  EXPECT_EQ(run("simulate --connections nowhere.cm --topology " + topology).status, 2);
}

TEST_F(Cli, AConnectionMatrixKeepsWhatTheScenarioSays) {
  const std::string flows = file("flows.cm", "Nodes 1024\nConnections 1\n0->15 id 1 start 0 size 40960\n");
  ASSERT_EQ(run("example ndp-permutation").status, 0);
  std::string text = read_all(path("out"));
  text.replace(text.find("transport = \"ndp\""), 17, "transport = \"swift\"");
  const auto answer = [&](const std::string& more, const std::string& flags) {
    const Ran ran = run("simulate " + file("my.toml", text + more) + " --csv --connections " + flows + flags);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.out;
  };
  const std::string both = "header = \"10 B\"\ncontrol_packet = \"100 B\"\n";
  const std::string sets = " --set 'simulation.header=10 B' --set 'simulation.control_packet=100 B'";
  // htsim's sizes for the transport of the file; what file or --set says stands.
  EXPECT_EQ(answer("", ""), answer("header = \"0 B\"\ncontrol_packet = \"40 B\"\n", ""));
  EXPECT_EQ(
      answer("", " --transport dctcp"),
      answer("", " --transport dctcp --set 'simulation.header=0 B' --set 'simulation.control_packet=40 B'"));
  EXPECT_EQ(answer(both, ""), answer("", sets));
  EXPECT_NE(answer(both, ""), answer("", ""));
}

TEST_F(Cli, FlowsOfAFileStandInForTraffic) {
  const std::string flows =
      file("flows.csv", "from,to,bytes,start_s,id,after\n0,1,1000,0,a,\n1,2,1000,0,b,a\n");
  const Ran ran = run("simulate ndp-permutation --flows " + flows + " --csv");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 3);
  const Ran bad =
      run("simulate ndp-permutation --flows " + file("bad.csv", "from,to,bytes,start_s\n0,0,1000,0\n"));
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("bad.csv:2"), std::string::npos) << bad.err;
}

TEST_F(Cli, EveryTransportEndsWithEveryFlow) {
  for (const char* transport : {"ideal", "ndp", "homa", "eqds", "smartt", "nscc", "rccc", "roce", "hpcc",
                                "swift", "dctcp", "cubic", "bbr", "irn", "scheduled", "fec"}) {
    const Ran ran = run("simulate ndp-permutation --set simulation.bytes=40kB --json --transport " +
                        std::string(transport));
    EXPECT_EQ(ran.status, 0) << transport << ran.err;
    EXPECT_EQ(nlohmann::json::parse(ran.out)["flows_finished"], 1024) << transport;
  }
}

TEST_F(Cli, ADestinationThatIsCutOffIsSaid) {
  const std::string cut =
      file("cut.toml",
           "title = \"cut\"\n[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = "
           "\"llama3-8b\"\n[[design]]\nname = \"d\"\ntopology = \"fat_tree\"\nhosts = 64\nradix = 16\n"
           "rate = \"100 Gbps\"\n[[failure]]\nnode = \"host 7\"\nfrom = \"10 us\"\n");
  const Ran ran = run("simulate " + cut);
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("no progress"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("host 7"), std::string::npos) << ran.err;
}

TEST_F(Cli, PacketsAreSimulatedTheSameEveryTime) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=100kB";
  const Ran json = run(small + " --json");
  ASSERT_EQ(json.status, 0) << json.err;
  const auto result = nlohmann::json::parse(json.out);
  EXPECT_EQ(result.at("flows_finished").get<int>(), 1024);
  EXPECT_GE(result.at("fct_s").at("p50").get<double>(), result.at("ideal_s").get<double>());
  EXPECT_GE(result.at("fct_s").at("max").get<double>(), result.at("fct_s").at("p99").get<double>());
  const Ran csv = run(small + " --csv");
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 1025);
  EXPECT_EQ(csv.out, run(small + " --csv").out);
  for (const auto& [setting, says] : {std::pair{"simulation.traffic=ringg", "did you mean 'ring'"},
                                      {"simulation.transport=ndpp", "ndp"},
                                      {"simulation.design=other", "two-tiers"},
                                      {"simulation.queue=0", "simulation.queue"},
                                      {"simulation.active=0", "simulation.active"}}) {
    const Ran refused = run(small + " --set " + setting);
    EXPECT_EQ(refused.status, 2) << setting;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
  }
  EXPECT_NE(run("simulate topologies --set simulation.design=rails-4-planes").out.find("in 4 planes, at "),
            std::string::npos);
}

TEST_F(Cli, ASimulationAtFlowLevelSaysNothingOfPackets) {
  const std::string small = "simulate ndp-permutation --network flow --set simulation.bytes=100kB";
  const auto json = nlohmann::json::parse(run(small + " --json").out);
  EXPECT_EQ(json.at("network"), "flow");
  EXPECT_EQ(json.at("flows_finished"), 1024);
  EXPECT_NEAR(json.at("slowdown").at("mean").get<double>(), 1, 1e-6);
  for (const char* key : {"packet_hops", "drops", "trims", "marks", "pauses", "paused_s", "repeats",
                          "timeouts", "longest_queue_bytes", "queue_over_time", "delivered_over_time"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_TRUE(json.at("run").at("engine_bytes").is_null());
  EXPECT_EQ(json.at("link_use")[0].at("bytes"), 1024 * 100'000);
  EXPECT_EQ(run(small).out.find("packet"), std::string::npos);
  EXPECT_EQ(run(small + " --csv").out.substr(0, 7), "flow,fr");
  EXPECT_EQ(run(small + " --report " + path("page.html")).status, 0);
  EXPECT_EQ(read_all(path("page.html")).find("payloads cut"), std::string::npos);
  EXPECT_EQ(run("simulate topologies --set simulation.design=torus --network flow").status, 0);
}

TEST_F(Cli, WhatOnlyPacketsHaveIsRefusedAtFlowLevel) {
  const std::string small = "simulate ndp-permutation --network flow --set simulation.bytes=100kB ";
  const std::pair<std::string, const char*> wrong[] = {
      {"--trace " + path("t.csv") + " --trace-flows 0", "--trace-flows"},
      {"--checkpoint " + path("c"), "--checkpoint"},
      {"--queue-svg " + path("q.svg"), "--queue-svg"}};
  for (const auto& [option, says] : wrong) {
    const Ran refused = run(small + option);
    EXPECT_EQ(refused.status, 2) << option;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(path("q.svg")));
  }
  EXPECT_EQ(run("simulate ndp-permutation --network flows").status, 2);
  const Ran torus = run("simulate " +
                        file("torus.toml",
                             "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = "
                             "\"llama3-8b\"\n[[design]]\nname = \"t\"\ntopology = \"torus\"\nhosts = 64\n"
                             "dimensions = [4, 4, 4]\n[[failure]]\nnode = \"host 0\"\n") +
                        " --network flow");
  EXPECT_EQ(torus.status, 2);
  EXPECT_NE(torus.err.find("folded Clos"), std::string::npos) << torus.err;
}

TEST_F(Cli, ASimulationIsTheSameWithAnyNumberOfThreads) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=20kB --csv";
  EXPECT_EQ(run(small).out, run(small + " --threads 3").out);
}

TEST_F(Cli, ASimulationRefusesWrongFlagsBeforeItRuns) {
  // Long enough that a test would notice a run.
  const std::string large = "simulate hotnets24-fig5 ";
  for (const auto& [flags, says] :
       {std::pair<std::string, const char*>{"--trace " + path("t.csv"), "--trace requires --trace-flows"},
        {"--trace-flows 0", "--trace-flows requires --trace"},
        {"--trace-flows 8192 --trace " + path("t.csv"), "flows are numbered 0 to 8191"},
        {"--trace-flows=-1 --trace " + path("t.csv"), "no flow -1"},
        {"--trace-flows x --trace " + path("t.csv"), "--trace-flows"},
        {"--threads 0", "--threads"},
        {"--threads 1025", "--threads"},
        {"--threads two", "--threads"},
        {"--report " + path("none/r.html"), "cannot be written"},
        {"--report " + folder_.string(), "is a folder"},
        {"--queue-svgs x", "did you mean '--queue-svg'"}}) {
    const Ran ran = run(large + flags);
    EXPECT_EQ(ran.status, 2) << flags;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(path("t.csv")));
}

}  // namespace
}  // namespace trainyard
