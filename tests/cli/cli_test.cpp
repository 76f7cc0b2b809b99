// The program as a user runs it: what it prints, where, and its exit status.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace trainyard {
namespace {

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("trainyard-cli-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  Ran run(const std::string& arguments) const {
    const std::string command =
        "\"" TRAINYARD_PROGRAM "\" " + arguments + " >" + path("out") + " 2>" + path("err") + " </dev/null";
    const int raw = std::system(command.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128, read_all(path("out")), read_all(path("err"))};
  }

  /// A small valid scenario with some text in place of one line.
  std::string scenario(const std::string& replace, const std::string& with) const {
    std::string text =
        "title = \"small\"\n[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = "
        "\"llama3-8b\"\n"
        "[mapping]\ntensor = 2\npipeline = 1\n";
    const auto at = text.find(replace);
    EXPECT_NE(at, std::string::npos) << replace;
    text.replace(at, replace.size(), with);
    return file("scenario.toml", text);
  }

  std::filesystem::path folder_;
};

TEST_F(Cli, NothingIsWrittenOverWhatARunReadsOrWrites) {
  const std::string small = scenario("small", "small");
  const std::string text = read_all(small);
  const std::string runs = file("runs.csv", "id\n");
  for (const std::string& command : {"step " + small + " --report " + small,
                                     "step " + small + " --trace " + path("t") + " --report " + small,
                                     "plan " + small + " --layer-svg " + path("./scenario.toml"),
                                     "step " + small + " --trace " + path("t") + " --report " + path("t"),
                                     "validate --runs " + runs + " --svg " + runs}) {
    const Ran ran = run(command);
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_NE(ran.err.find("give "), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(path("t"))) << command;
  }
  EXPECT_EQ(read_all(small), text);
  EXPECT_EQ(read_all(runs), "id\n");
}

TEST_F(Cli, PlansAShippedScenarioFromAnyFolder) {
  const Ran ran = run("plan hotnets24-dense");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("1,679,976"), std::string::npos);
  EXPECT_EQ(ran.err, "");
}

TEST_F(Cli, JsonIsOnStandardOutputAlone) {
  const Ran ran = run("plan hotnets24-dense --json");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(nlohmann::json::parse(ran.out).at("mapping").at("tensor").get<int>(), 18);
}

TEST_F(Cli, JsonIsValidWhateverAScenarioIsCalled) {
  ASSERT_EQ(run("example hotnets24-dense").status, 0);
  const std::string named = file("\xff.toml", read_all(path("out")));
  for (const char* verb : {"plan", "scaling", "rail", "traffic --rail", "wide-area", "step"}) {
    const Ran ran = run(std::string(verb) + " " + named + " --json");
    EXPECT_EQ(ran.status, 0) << verb << ": " << ran.err;
    EXPECT_TRUE(nlohmann::json::accept(ran.out)) << verb;
  }
}

TEST_F(Cli, SetChangesAnyAssumption) {
  const Ran ran = run("plan hotnets24-dense --set assumptions.peak=dense --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const double forward = nlohmann::json::parse(ran.out).at("step").at("forward_s").get<double>();
  EXPECT_NEAR(forward, 2 * 132.80e-3, 0.1e-3);  // errata.md row 2: every compute time doubles
}

TEST_F(Cli, UnknownKeyNamesPlaceAndNearestKey) {
  const Ran ran = run("plan " + scenario("tensor = 2", "tensr = 2"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("scenario.toml:8:1: error: unknown key 'mapping.tensr'"), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("did you mean 'tensor'?"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, "");
}

struct BadInput {
  const char* name;
  const char* replace;
  const char* with;
  const char* says;
};

TEST_F(Cli, StepRefusesNetworksThatItCannotUse) {
  for (const auto& [arguments, says] :
       {std::pair("llama3-405b --network flw", "did you mean 'flow'?"),
        std::pair("llama3-405b --network packet", "needs a [[design]] section"),
        std::pair("hotnets24-moe --network packet --set \"design=[{name='a'}]\"",
                  "needs a [simulation] section"),
        std::pair("hotnets24-fig5 --network packet --phases pipelin", "did you mean 'pipeline'?"),
        std::pair("hotnets24-dense --network packet --phases pipeline expert --set "
                  "\"design=[{name='a',hosts=64,radix=16}]\" --set simulation.window=100",
                  "this step has: pipeline, gradient"),
        std::pair("llama3-405b --set \"step_failure=[{stage=2,what='device',from='1 s'}]\"",
                  "the step cannot end"),
        std::pair("llama3-405b --set \"step_failure=[{stage=2,what='devise'}]\"", "did you mean 'device'?"),
        std::pair("llama3-405b --set \"network.scale_out_rate=1 bps\"", "network.scale_out_rate"),
        std::pair("llama3-405b --phases pipeline", "--network packet")}) {
    const Ran refused = run(std::string("step ") + arguments);
    EXPECT_EQ(refused.status, 2) << arguments;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");
  }
}

class BadScenario : public Cli, public testing::WithParamInterface<BadInput> {};

TEST_P(BadScenario, IsRefusedWithStatus2) {
  const Ran ran = run("plan " + scenario(GetParam().replace, GetParam().with));
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_NE(ran.err.find(GetParam().says), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, BadScenario,
    testing::Values(
        BadInput{"wrong_type", "devices = 64", "devices = \"many\"", "takes a whole number"},
        BadInput{"negative", "devices = 64", "devices = -64", "allowed: 1 to"},
        BadInput{"zero", "tensor = 2", "tensor = 0", "allowed: 1 to"},
        BadInput{"not_a_number", "tensor = 2", "[assumptions]\nmemory_efficiency = nan", "must be finite"},
        BadInput{"overflow", "devices = 64", "devices = 99999999999999999999", "error"},
        BadInput{"no_unit", "devices = 64", "budget = 100", "takes a price"},
        BadInput{"wrong_unit", "devices = 64", "budget = \"100 GW\"", "unknown unit 'GW'"},
        BadInput{"two_starts", "devices = 64", "devices = 64\nbudget = \"$1B\"", "more than one of"},
        BadInput{"no_start", "devices = 64", "", "does not say what to start from"},
        BadInput{"unknown_domain", "dgx-h100", "dgx-h1000", "did you mean 'dgx-h100'?"},
        BadInput{"unknown_model", "llama3-8b", "lama3-8b", "did you mean 'llama3-8b'?"},
        BadInput{"empty_stages", "pipeline = 1", "pipeline = 33",
                 "leaves stages of the model's 32 layers empty"},
        BadInput{"too_wide", "[mapping]\ntensor = 2",
                 "[assumptions]\ncompute_model = \"roofline\"\n[mapping]\ntensor = 16",
                 "does not fit into an HB domain of 8 devices"},
        BadInput{"broken_toml", "[model]", "[model", "scenario.toml:5"},
        BadInput{"entry_without_source", "tensor = 2", "[catalog.accelerators.h100-sxm]\nmemory = \"96 GB\"",
                 "lacks the key 'source'"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST_F(Cli, MissingAndUnreadableFilesAreNamed) {
  EXPECT_EQ(run("plan /no/such/file.toml").status, 2);
  const Ran folder = run("plan " + folder_.string());
  EXPECT_EQ(folder.status, 2);
  EXPECT_NE(folder.err.find("is a folder"), std::string::npos) << folder.err;
}

TEST_F(Cli, AModelThatFitsNowhereSaysWhichTermAndWhatWouldFit) {
  const Ran ran = run("plan " + scenario("llama3-8b", "llama3-405b"));
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_NE(ran.err.find("facility.devices = "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("infeasible: device memory"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("are missing"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("would fit"), std::string::npos) << ran.err;
}

TEST_F(Cli, MistypedVerbsAndFlagsGetASuggestion) {
  const Ran verb = run("pln hotnets24-dense");
  EXPECT_EQ(verb.status, 2);
  EXPECT_NE(verb.err.find("did you mean 'plan'?"), std::string::npos) << verb.err;
  const Ran flag = run("plan hotnets24-dense --repot x.html");
  EXPECT_EQ(flag.status, 2);
  EXPECT_NE(flag.err.find("did you mean '--report'?"), std::string::npos) << flag.err;
}

TEST_F(Cli, AReportIsOneFileWithoutReferencesToTheNetwork) {
  const Ran ran = run("plan hotnets24-dense --report " + path("report.html"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string html = read_all(path("report.html"));
  EXPECT_GT(html.size(), 100000u);
  for (const char* reference : {"src=\"http", "href=\"http", "@import", "src=\"//"}) {
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
  }
}

TEST_F(Cli, AReportThatCannotBeWrittenLeavesNothing) {
  const Ran ran = run("plan hotnets24-dense --report " + path("no/such/folder/report.html"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("cannot be written"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(path("no")));
}

TEST_F(Cli, EveryVerbSpeaksJsonAndCsv) {
  for (const char* verb :
       {"plan hotnets24-dense", "step hotnets24-moe", "sweep hotnets24-dense", "scaling hotnets24-dense",
        "rail railonly23-gpt3", "traffic hotnets24-dense", "reproduce railonly23", "catalog list models",
        "catalog show h100-sxm", "describe network", "scenarios"}) {
    const Ran json = run(std::string(verb) + " --json");
    EXPECT_EQ(json.status, 0) << verb << json.err;
    EXPECT_TRUE(nlohmann::json::accept(json.out)) << verb;
    const Ran csv = run(std::string(verb) + " --csv");
    EXPECT_EQ(csv.status, 0) << verb << csv.err;
    EXPECT_NE(csv.out.find(','), std::string::npos) << verb;
  }
}

TEST_F(Cli, AStepIsTracedAndReported) {
  const Ran ran =
      run("step llama3-405b --json --trace " + path("trace.json") + " --report " + path("step.html"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_GT(nlohmann::json::parse(ran.out)["step_s"].get<double>(), 0);
  EXPECT_NE(read_all(path("trace.json")).find("traceEvents"), std::string::npos);
  EXPECT_NE(read_all(path("step.html")).find("timeline-data"), std::string::npos);
  EXPECT_EQ(run("step llama3-405b --network quantum").status, 2);
  const Ran schedule = run("step llama3-405b --schedule dualpip");
  EXPECT_EQ(schedule.status, 2);
  EXPECT_NE(schedule.err.find("dualpipe"), std::string::npos);
}

TEST_F(Cli, ATraceCanBeAPartOfAStep) {
  const Ran part =
      run("step llama3-405b --trace " + path("part.json") + " --trace-from '1 s' --trace-length '2 s'");
  EXPECT_EQ(part.status, 0) << part.err;
  EXPECT_NE(part.err.find("operations: those that run between 1.000 s and 3.000 s"), std::string::npos)
      << part.err;
  EXPECT_TRUE(nlohmann::json::accept(read_all(path("part.json"))));
  for (const char* wrong :
       {"--trace-from '900000 s'", "--trace-from soon", "--trace-from '-1 s'", "--trace-length '2 apples'"}) {
    const Ran refused = run("step llama3-405b --trace " + path("wrong.json") + " " + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.err.find("--trace-"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(path("wrong.json"))) << wrong;
  }
  EXPECT_EQ(run("step llama3-405b --trace-length all").status, 2);  // of no trace
}

TEST_F(Cli, ACatalogFolderAddsEntries) {
  const std::string folder = path("mine");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/more.toml")
      << "[accelerators.h100-big]\nbased_on = \"h100-sxm\"\nmemory = \"160 GB\"\n"
         "source = \"a wish\"\n";
  const Ran ran = run("catalog show h100-big --catalog " + folder);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("160"), std::string::npos) << ran.out;
}

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

TEST_F(Cli, ReproduceDrawsTheFigures) {
  const Ran ran = run("reproduce hotnets24 --fig6 " + path("fig6.svg"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(read_all(path("fig6.svg")).find("DCTCP"), std::string::npos);
}

TEST_F(Cli, ReproduceCountsItsRows) {
  const Ran ran = run("reproduce all");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("0 differ"), std::string::npos) << ran.out;
}

TEST_F(Cli, AnExampleIsAScenarioThatPlans) {
  const Ran example = run("example llama3-405b");
  EXPECT_EQ(example.status, 0);
  EXPECT_EQ(run("plan " + file("mine.toml", example.out)).status, 0);
}

TEST_F(Cli, TheGuidesSmallestScenarioPlans) {
  const std::string guide = read_all(std::string(TRAINYARD_SOURCE_DIR) + "/docs/guide.md");
  const std::string fence = "```toml\n";
  const auto begin = guide.find(fence) + fence.size();
  const std::string snippet = guide.substr(begin, guide.find("```", begin) - begin);
  ASSERT_NE(snippet.find("[facility]"), std::string::npos);
  const Ran ran = run("plan " + file("guide.toml", snippet));
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(Cli, NetworksAreComparedDrawnAndCabled) {
  const Ran ran = run("network railonly23-gpt3 --json --svg " + path("n.svg"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto designs = nlohmann::json::parse(ran.out).at("designs");
  EXPECT_EQ(designs.at(0).at("switches").get<int>(), 2560);  // rail-only '23 Table 2
  EXPECT_EQ(designs.at(1).at("switches").get<int>(), 1536);
  EXPECT_NE(read_all(path("n.svg")).find("rail 1"), std::string::npos);
  const Ran cables =
      run("network topologies --design scale-up --cables " + path("c.csv") + " --dot " + path("g.dot"));
  EXPECT_EQ(cables.status, 0) << cables.err;
  const std::string list = read_all(path("c.csv"));
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 1 + 72 * 18);
  EXPECT_NE(read_all(path("g.dot")).find("n0 -- n72"), std::string::npos);
}

TEST_F(Cli, NetworksAreLoadedAndSearched) {
  const Ran ran = run("network topologies --design rail-only --traffic all_to_all --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto load = nlohmann::json::parse(ran.out).at("loads").at(0);
  EXPECT_NEAR(load.at("forwarded_bytes").get<double>() / load.at("offered_bytes").get<double>(), 7.0 / 8,
              1e-12);
  const Ran search = run("network topologies --optimize --set optimize.most_tiers=2 --csv");
  EXPECT_EQ(search.status, 0) << search.err;
  EXPECT_TRUE(search.out.starts_with("name,topology,"));
  for (const auto& [arguments, says] :
       {std::pair{"--traffic alltoall", "all_to_all"},
        {"--design rail", "rail-only"},
        {"--dot x.dot", "several designs"},
        {"--traffic ring --routing minimum", "minimal"},
        {"--traffic ring --bytes many", "many"},
        {"--optimize --set optimize.planes=[3]", "none of"},
        {"--traffic missing.csv", "missing.csv"},
        {"--optimize --design rail-only", "--optimize"},
        {"--routing minimal", "--traffic"},
        {"--traffic plan --bytes 5B", "bytes of its own"},
        {"--optimize --set optimize.rails=[3]", "do not divide by 3 rails"}}) {
    const Ran refused = run(std::string("network topologies ") + arguments);
    EXPECT_TRUE(refused.status == 2 || refused.status == 3) << arguments;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");
  }
}

TEST_F(Cli, RoutesGoThroughHbDomainsAndAroundFailures) {
  const std::string rails = "network topologies --design rail-only --route ";
  const Ran other = run(rails + "0 9 --json");
  ASSERT_EQ(other.status, 0) << other.err;
  const auto json = nlohmann::json::parse(other.out);
  EXPECT_TRUE(json.at("through_domain").get<bool>());
  EXPECT_EQ(json.at("nodes").front(), "host 0");
  EXPECT_EQ(json.at("nodes").back(), "host 9");
  const Ran around = run(rails + "0 8 --fail 'leaf 0 of network 0'");
  EXPECT_EQ(around.out.find("   leaf 0 of network 0"), std::string::npos) << around.out;
  EXPECT_EQ(run(rails + "0 4096").status, 2);
  EXPECT_EQ(run(rails + "0 8 --fail 'leaf nine'").status, 2);
  EXPECT_NE(run(rails + "0 8 --fail 'host 8'").out.find("no way is left"), std::string::npos);
}

TEST_F(Cli, ANamedDesignDoesNotWaitForTheOthers) {
  // The scenario's torus holds 4,096 hosts and no other number.
  const std::string smaller = "network topologies --set facility.devices=2048 --csv";
  EXPECT_EQ(run(smaller).status, 2);
  EXPECT_EQ(run(smaller + " --design rail-only").status, 0);
}

TEST_F(Cli, EveryShippedScenarioHasNetworks) {
  const Ran list = run("scenarios --csv");
  std::istringstream lines(list.out);
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    const std::string name = line.substr(0, line.find(','));
    EXPECT_EQ(run("network " + name + " --csv").status, 0) << name;
  }
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
  EXPECT_EQ(run("simulate topologies --set simulation.design=torus").status, 2);
  EXPECT_NE(run("simulate topologies --set simulation.design=rails-4-planes").out.find("in 4 planes, at "),
            std::string::npos);
}

TEST_F(Cli, ASimulationAtFlowLevelSaysNothingOfPackets) {
  const std::string small = "simulate ndp-permutation --network flow --set simulation.bytes=100kB";
  const auto json = nlohmann::json::parse(run(small + " --json").out);
  EXPECT_EQ(json.at("network"), "flow");
  EXPECT_EQ(json.at("flows_finished"), 1024);
  EXPECT_NEAR(json.at("slowdown").at("mean").get<double>(), 1, 1e-6);
  for (const char* key :
       {"packet_hops", "drops", "trims", "marks", "pauses", "paused_s", "repeats", "timeouts",
        "longest_queue_bytes", "queue_over_time", "delivered_over_time", "engine_bytes"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
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

TEST_F(Cli, ASimulationIsWrittenAsPageChartsAndTrace) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=20kB";
  const Ran ran = run(small + " --report " + path("r.html") + " --fct-svg " + path("f.svg") +
                      " --queue-svg " + path("q.svg") + " --trace " + path("t.csv") + " --trace-flows 5,0");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string page = read_all(path("r.html"));
  for (const char* part :
       {"NDP permutation over two tiers", "Completion times of flows", "Longest queue of data at one port",
        "Data that reaches its hosts", "hosts up", "simulation.load_balancing", "new Chart("}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("Slowdown over the size"), std::string::npos);  // all flows are of one size
  EXPECT_NE(read_all(path("f.svg")).find("share of the flows"), std::string::npos);
  EXPECT_NE(read_all(path("q.svg")).find("longest queue"), std::string::npos);
  for (const char* name : {"r.html", "f.svg", "q.svg", "t.csv"})
    EXPECT_NE(ran.err.find(path(name)), std::string::npos) << name;
}

TEST_F(Cli, ATraceFollowsAPacketFromHostToHost) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=4096B --trace-flows 5 --trace ";
  ASSERT_EQ(run(small + path("t.csv")).status, 0);
  std::istringstream lines(read_all(path("t.csv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "time_s,node,port,event,flow,sequence,kind,bytes");
  std::getline(lines, line);
  EXPECT_EQ(line, "0,hosts of leaf 0,5,left,5,0,data,4096");
  std::string last_of_data;
  while (std::getline(lines, line)) {
    EXPECT_NE(line.find(",5,0,"), std::string::npos) << line;  // one flow of one packet
    if (line.find(",data,") != std::string::npos) last_of_data = line;
  }
  EXPECT_NE(last_of_data.find(",received,"), std::string::npos) << last_of_data;
}

TEST_F(Cli, ASimulationsJsonAndCsvHoldWhatTheGuideSays) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=20kB";
  const auto json = nlohmann::json::parse(run(small + " --json").out);
  for (const char* key : {"design",
                          "hosts",
                          "planes",
                          "flows",
                          "flows_finished",
                          "fct_s",
                          "ideal_s",
                          "slowdown",
                          "simulated_s",
                          "packet_hops",
                          "events",
                          "drops",
                          "overflows",
                          "trims",
                          "marks",
                          "pauses",
                          "paused_s",
                          "blocked_s",
                          "corrupted",
                          "repeats",
                          "timeouts",
                          "longest_queue_bytes",
                          "link_use",
                          "queue_over_time",
                          "delivered_over_time",
                          "engine_bytes",
                          "cpu_s",
                          "wall_s",
                          "peak_rss_bytes",
                          "settings_hash",
                          "provenance"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_GE(json.at("slowdown").at("p99").get<double>(), json.at("slowdown").at("mean").get<double>());
  EXPECT_GT(json.at("events").get<double>(), json.at("packet_hops").get<double>());
  // Every flow's 20 kB arrive, and all of it goes up the hosts' links.
  EXPECT_EQ(json.at("delivered_over_time").back().at("bytes"), 1024 * 20'000);
  EXPECT_GE(json.at("link_use")[0].at("bytes").get<double>(), 1024 * 20e3);
  for (const auto& link : json.at("link_use")) {
    EXPECT_LE(link.at("utilization_mean").get<double>(), link.at("utilization_max").get<double>());
    EXPECT_LE(link.at("utilization_max").get<double>(), 1);
  }
  std::istringstream lines(run(small + " --csv").out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "flow,from,to,bytes,start_s,began_s,received_s,finished_s,slowdown");
  double sum = 0;
  while (std::getline(lines, line)) sum += std::stod(line.substr(line.rfind(',') + 1));
  EXPECT_NEAR(sum / 1024, json.at("slowdown").at("mean").get<double>(), 1e-9);
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

TEST_F(Cli, ASimulationThatWasStoppedEndsAsIfItHadNotBeen) {
  const std::string simulation = "simulate ndp-permutation --set simulation.bytes=400kB --json";
  const std::string saved = path("run.ck");
  const auto result = [](const Ran& ran) {
    auto json = nlohmann::json::parse(ran.out);
    for (const char* cost : {"cpu_s", "wall_s", "peak_rss_bytes", "engine_bytes"}) json.erase(cost);
    return json;
  };
  // In the background until the first checkpoint is there.
  const Ran stopped =
      run(simulation + " --threads 2 --checkpoint-every 0 --checkpoint " + saved + " >" + path("json") +
          " 2>" + path("said") + " & p=$!; " + "for i in $(seq 1000); do [ -e " + saved +
          " ] && break; sleep 0.01; done; " + "kill -TERM $p; wait $p; (exit $?)");
  EXPECT_EQ(stopped.status, 128 + SIGTERM);
  EXPECT_NE(read_all(path("said")).find("continue with --resume " + saved), std::string::npos);
  ASSERT_TRUE(std::filesystem::exists(saved));

  const Ran other = run(simulation + " --set simulation.window=30 --resume " + saved);
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("simulation.window was"), std::string::npos) << other.err;
  EXPECT_EQ(run(simulation + " --transport ideal --resume " + saved).status, 2);
  EXPECT_EQ(run(simulation + " --checkpoint-every 5").status, 2);
  EXPECT_NE(run(simulation + " --resume " + file("no.ck", "hello")).err.find("not a checkpoint"),
            std::string::npos);
  EXPECT_NE(run(simulation + " --resume " + path("none.ck")).err.find("cannot be opened"), std::string::npos);
  std::filesystem::copy_file(saved, path("cut.ck"));
  std::filesystem::resize_file(path("cut.ck"), std::filesystem::file_size(saved) / 2);
  EXPECT_NE(run(simulation + " --resume " + path("cut.ck")).err.find("cut off"), std::string::npos);

  const Ran whole = run(simulation);
  const Ran resumed = run(simulation + " --resume " + saved + " --checkpoint " + saved);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(result(resumed), result(whole));
  EXPECT_FALSE(std::filesystem::exists(saved));  // no longer needed
}

TEST_F(Cli, TrafficSaysWhenItCoversOtherDevicesThanThePlanUses) {
  // 197 domains hold each stage of the MoE model: they do not divide over two datacenters.
  EXPECT_NE(run("traffic hotnets24-moe").err.find("warning: the matrix covers 1665216 devices"),
            std::string::npos);
  EXPECT_EQ(run("traffic hotnets24-dense").err, "");
}

TEST_F(Cli, ValidatesTheShippedRuns) {
  const Ran ran = run("validate --json --svg " + path("runs.svg"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json.at("runs").size(), 55U);
  double sum = 0;
  for (const auto& row : json.at("runs")) {
    const double measured = row.at("measured_s").get<double>();
    for (const char* model : {"plan", "step"}) {
      const std::string name = model;
      const double predicted = row.at(name + "_s").get<double>();
      EXPECT_NEAR((predicted / measured - 1) * 100, row.at("error_" + name + "_pct").get<double>(), 1e-9);
      EXPECT_LT(row.at(name + "_low_s").get<double>(), predicted);
      EXPECT_GT(row.at(name + "_high_s").get<double>(), predicted);
    }
    // What is left between the two models adds up.
    double effects = 0;
    for (const auto& [what, seconds] : row.at("step_less_plan_s").items()) effects += seconds.get<double>();
    EXPECT_NEAR(effects, row.at("step_s").get<double>() - row.at("plan_s").get<double>(), 1e-6 * measured);
    sum += std::abs(row.at("error_plan_pct").get<double>());
  }
  EXPECT_NEAR(json.at("mean_abs_error_pct").get<double>(), sum / 55, 1e-9);
  EXPECT_EQ(json.at("by_source").size(), 7U);
  EXPECT_NE(read_all(path("runs.svg")).find("<svg"), std::string::npos);
}

TEST_F(Cli, ValidatesOtherRunsOfTheSameFormat) {
  const std::string header = "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,";
  const std::string runs =
      file("runs.csv", header +
                           "dp,microbatch,metric,value,measured_memory_bytes\nmine,GPT,a100-80,8,24,2048,16,"
                           "51200,2048,64,8,4,step_time,2,32212254720\n");
  const Ran ran = run("validate --csv --runs " + runs);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("\nmine,,2,"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(",32212254720,"), std::string::npos) << ran.out;
  EXPECT_NE(run("validate --runs " + runs).out.find("peak memory of a device"), std::string::npos);
}

TEST_F(Cli, JudgesMeasuredOperators) {
  const std::string header = "system,dtype,m,n,k,time_us,backend\n";
  const std::string table =
      file("gemm.csv",
           header + "h100_sxm,bf16,8192,8192,8192,1500,trtllm\nh100_sxm,bf16,16,4096,4096,14,trtllm\n");
  const Ran ran = run("validate --json --operators " + table);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json.at("operators").size(), 1U);
  const auto& entry = json.at("operators").at(0);
  EXPECT_EQ(entry.at("system"), "h100_sxm");
  EXPECT_EQ(entry.at("operation"), "gemm");
  EXPECT_EQ(entry.at("dtype"), "bf16");
  EXPECT_EQ(entry.at("count"), 2);
  EXPECT_EQ(entry.at("large").at("count"), 1);
  EXPECT_EQ(entry.at("small").at("count"), 1);
  EXPECT_LT(entry.at("median_error_pct").get<double>(), 20);
  EXPECT_NE(run("validate --operators " + table).out.find("256 rows and more"), std::string::npos);
  EXPECT_NE(run("validate --csv --operators " + table).out.find("h100_sxm,gemm,bf16"), std::string::npos);
}

TEST_F(Cli, OperatorsWithoutConstantsSayHowToFitThem) {
  const std::string header = "system,dtype,m,n,k,time_us\n";
  const Ran unknown = run("validate --operators " + file("own.csv", header + "mine,bf16,64,64,64,5\n"));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--fit"), std::string::npos) << unknown.err;
  const Ran bad = run("validate --operators " + file("bad.csv", header + "h100_sxm,bf16,64,64,x,5\n"));
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("bad.csv:2:21: error: 'x' is no number"), std::string::npos) << bad.err;
}

TEST_F(Cli, BadRunsAreRefusedBeforeAnythingIsWritten) {
  const Ran ran = run("validate --svg " + path("no.svg") + " --runs " + file("runs.csv", "idd,model\n1,2\n"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("runs.csv:1:1: error: unknown column 'idd'"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_FALSE(std::filesystem::exists(path("no.svg")));
}

TEST_F(Cli, ImportsAGridOrLeavesNothing) {
  const std::string database =
      file("gppd.csv",
           "country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel\n"
           "NOR,Norway,Kvilldal,GEODB0001,1240,59.5,6.6,Hydro\n");
  const Ran ran = run("import-grid " + path("grid") + " --gppd " + database + " --country NOR");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("1.24 GW, 1.24 GW of it firm"), std::string::npos) << ran.out;
  EXPECT_NE(read_all(path("grid/plants.csv")).find("GEODB0001,Kvilldal,NOR,59.5,6.6,1240,"),
            std::string::npos);
  const Ran wrong = run("import-grid " + path("other") + " --gppd " + database + " --country NRO");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean 'NOR'?"), std::string::npos) << wrong.err;
  EXPECT_FALSE(std::filesystem::exists(path("other")));
}

/// Settings with which the small grid divides the 4.7 GW of hotnets24-dense over two places.
const char* const kSmallSplit =
    "site hotnets24-dense --set site.radius='150 km' --set site.reserve=unit --set site.spare=installed "
    "--set site.least_share=0.2 --set site.sites=2";

TEST_F(Cli, SiteWorksWithoutAnyDownload) {
  const Ran ran = run(std::string(kSmallSplit) + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_TRUE(json.at("grid").at("shipped").get<bool>());
  EXPECT_TRUE(json.at("unmet").is_null());
  const auto& split =
      json.at("splits").at(0).at("splits").at(json.at("splits").at(0).at("chosen").get<std::size_t>());
  const auto& training = split.at("training");
  EXPECT_EQ(training.at("exchange"), "all_pairs");
  EXPECT_NEAR(training.at("exchange_s").get<double>(),
              split.at("rtt_ms").get<double>() / 2e3 + training.at("sent_bytes").get<double>() * 8 /
                                                           training.at("wide_area_rate_bps").get<double>(),
              1e-9);
  EXPECT_GE(training.at("days").get<double>(),
            json.at("training_at_one_site").at("days").get<double>() * 0.999);
  const std::string text = run(kSmallSplit).out;
  EXPECT_NE(text.find("this is the small grid"), std::string::npos);
  EXPECT_NE(text.find("a layer's exchange between sites (all_pairs)"), std::string::npos) << text;
  // A row of every site of the split, with its training.
  const std::string csv = run(std::string(kSmallSplit) + " --csv").out;
  EXPECT_NE(csv.find("training_days,training_usd\n"), std::string::npos);
  EXPECT_NE(csv.find("\nsplit_2,1,"), std::string::npos);
}

TEST_F(Cli, SiteDrawsItsSplitWithWhatTheDistanceAdds) {
  const Ran ran =
      run(std::string(kSmallSplit) + " --map " + path("split.svg") + " --report " + path("split.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string map = read_all(path("split.svg"));
  EXPECT_NE(map.find("class=\"fibre\""), std::string::npos);
  EXPECT_NE(map.find("to the step"), std::string::npos);
  const std::string page = read_all(path("split.html"));
  EXPECT_NE(page.find("capacity that hides it"), std::string::npos);
  EXPECT_NE(page.find("training over 2 sites"), std::string::npos);
}

TEST_F(Cli, SiteWithoutAnAnswerSaysWhatIsMissing) {
  for (const char* format : {"", " --json", " --csv"}) {
    const Ran ran = run(std::string("site hotnets24-dense") + format);
    EXPECT_EQ(ran.status, 3) << format;
    EXPECT_EQ(ran.err.rfind("infeasible: power on the grid: 4732 MW wanted", 0), 0U) << ran.err;
    EXPECT_NE(ran.err.find("it would hold with"), std::string::npos) << ran.err;
    EXPECT_FALSE(ran.out.empty());
  }
  const auto json = nlohmann::json::parse(run("site hotnets24-dense --json").out);
  EXPECT_FALSE(json.at("unmet").at("remedies").empty());
  const Ran page = run("site hotnets24-dense --report " + path("none.html"));
  EXPECT_EQ(page.status, 3);
  EXPECT_NE(read_all(path("none.html")).find("No answer"), std::string::npos);
}

TEST_F(Cli, SiteDividesOverPlacesThatAreNamed) {
  const std::string places =
      " --at 45.6,-121.1 --at 36.14,-120.13 --radius 150 --set site.spare=installed"
      " --set site.reserve=unit --set site.least_share=0.2";
  const Ran ran = run("site hotnets24-dense" + places + " --json --map " + path("at.svg") + " --report " +
                      path("at.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("places").size(), 2U);
  EXPECT_GT(json.at("split").at("training").at("days").get<double>(), 0);
  EXPECT_NE(read_all(path("at.svg")).find("class=\"fibre\""), std::string::npos);
  EXPECT_NE(read_all(path("at.html")).find("Over 2 sites"), std::string::npos);
  const Ran none = run("site hotnets24-dense --set site.power='9 GW'" + places);
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(none.err.rfind("infeasible: power at the places: 9000 MW wanted", 0), 0U) << none.err;
  EXPECT_NE(none.out.find("Together they cannot take the power"), std::string::npos);
}

TEST_F(Cli, SiteNamesFileAndRowOfWhatIsWrongWithAGrid) {
  const std::map<std::string, std::string> good = {
      {"plants.csv", "plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel\n1,One,40,-100,500,gas\n"},
      {"substations.csv", "node_id,lat_deg,lon_deg\na,40,-100\nb,41,-100\n"},
      {"lines.csv", "from_node,to_node,capacity_fwd_mw\na,b,100\n"},
      {"balancing_authorities.csv", "code\nXX\n"}};
  struct Wrong {
    const char* file;
    const char* replace;
    const char* with;
    const char* place;
  };
  const Wrong wrongs[] = {
      {"plants.csv", ",40,-100,", ",95,-100,", "plants.csv:2"},
      {"plants.csv", ",40,-100,", ",40,-190,", "plants.csv:2"},
      {"plants.csv", "capacity_mw", "capacity_gw", "plants.csv:1"},
      {"plants.csv", ",500,", ",-500,", "plants.csv:2"},
      {"plants.csv", "1,One,40,-100,500,gas\n", "", "plants.csv"},
      {"substations.csv", "b,41", "a,41", "substations.csv:3"},
      {"substations.csv", "a,40,-100\nb,41,-100\n", "", "substations.csv"},
      {"lines.csv", "a,b,100", "a,c,100", "lines.csv:2"},
      {"lines.csv", "a,b,100", "a,a,100", "lines.csv:2"},
      {"lines.csv", "a,b,100", "a,b,-1", "lines.csv:2"},
      {"balancing_authorities.csv", "code\nXX\n", "code\nXX\nXX\n", "balancing_authorities.csv:3"}};
  std::filesystem::create_directories(path("grid"));
  const auto write = [&](const Wrong* wrong) {
    for (auto [name, text] : good) {
      if (wrong && name == wrong->file)
        text.replace(text.find(wrong->replace), std::strlen(wrong->replace), wrong->with);
      file("grid/" + name, text);
    }
  };
  write(nullptr);
  EXPECT_EQ(run("site --at 40,-100 --radius 50 --grid " + path("grid")).status, 0);
  for (const Wrong& wrong : wrongs) {
    write(&wrong);
    const Ran ran = run("site --at 40,-100 --radius 50 --grid " + path("grid"));
    EXPECT_EQ(ran.status, 2) << wrong.file << " " << wrong.with;
    EXPECT_NE(ran.err.find(wrong.place), std::string::npos) << wrong.with << ": " << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(Cli, SiteNamesThePowerNodeOfAPlace) {
  const Ran ran = run("site --at 45.6,-121.1 --radius 50 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  for (const char* name : {"site",          "lat_deg",        "lon_deg",         "radius_km",
                           "plants",        "nodes",          "generation_mw",   "firm_mw",
                           "coal_mw",       "largest_mw",     "largest_name",    "top_fuel",
                           "import_mw",     "import_n1_mw",   "local_load_mw",   "ba",
                           "rule_ok",       "avail_paper_mw", "avail_strict_mw", "avail_autonomous_mw",
                           "deliverable_mw"})
    EXPECT_TRUE(json.contains(name)) << name;
  EXPECT_EQ(json.at("ba"), "BPAT");
}

TEST_F(Cli, SiteSaysWhenAPlaceCannotTakeTheScenariosPower) {
  const Ran ran = run("site hotnets24-dense --at 45.6,-121.1 --radius 10 --json");
  EXPECT_EQ(ran.status, 3) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out).at("unmet").at("constraint"), "power at the place");
  EXPECT_EQ(run("site --at 45.6,-121.1 --radius 10 --json").status, 0);
}

TEST_F(Cli, SiteDrawsAPlaceWithoutAScenario) {
  const Ran ran =
      run("site --at 45.6,-121.1 --radius 50 --report " + path("site.html") + " --map " + path("site.svg"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(read_all(path("site.html")).find("Power nodes"), std::string::npos);
  EXPECT_NE(read_all(path("site.svg")).find("<svg"), std::string::npos);
  EXPECT_EQ(run("site --at 45.6,-121.1 --map " + path("no/such/folder.svg")).status, 2);
}

TEST_F(Cli, SiteRefusesWhatItCannotUse) {
  for (const char* wrong :
       {"site", "site --at 91,0", "site --at 10", "site --at 10,x", "site --at nan,0",
        "site --at 1,2 --radius -1", "site --at 1,2 --radius nan", "site --at 1,2 --set site.rule=paper",
        "site hotnets24-dense --grid nowhere", "site hotnets24-dense --set site.rule=papr",
        "site hotnets24-dense --set site.available.PJMM='1 GW'", "site hotnets24-dense --set site.radius=25",
        "site hotnets24-dense --set site.goal=training", "site hotnets24-dense --grid ''",
        "site --at 40,-100 --at 41,-100 --at 40.0,-100"}) {
    const Ran ran = run(wrong);
    EXPECT_EQ(ran.status, 2) << wrong;
    EXPECT_EQ(ran.out, "") << wrong;
    EXPECT_NE(ran.err.find("help:"), std::string::npos) << wrong << ": " << ran.err;
  }
}

}  // namespace
}  // namespace trainyard
