// network: counts, loads, routes and searches.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "cli.h"

namespace trainyard {
namespace {

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
  const Ran none = run(rails + "0 8 --fail 'host 8'");
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.out.find("no way is left"), std::string::npos);
  EXPECT_NE(none.err.find("device 0 cannot reach device 8"), std::string::npos) << none.err;
}

TEST_F(Cli, PowerThatNobodyKnowsIsNotSaved) {
  // Switches by their ports: the power of the optics alone would say "67% less".
  const Ran ran = run("network railonly23-table2 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto design = nlohmann::json::parse(ran.out).at("designs").at(1);
  EXPECT_TRUE(design.at("power_w").is_null());
  EXPECT_TRUE(design.at("power_saved").is_null());
  EXPECT_GT(design.at("power_known_w").get<double>(), 0);
  EXPECT_EQ(design.at("power_unknown").at(0), "switch of 32 ports");
  EXPECT_GT(design.at("price_saved").get<double>(), 0.5);
  const Ran text = run("network railonly23-table2 --design rail-32768-32");
  EXPECT_NE(text.out.find("1.180 MW + unknown"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("none known of switch of 32 ports"), std::string::npos) << text.out;
}

TEST_F(Cli, ASeedPicksAmongTheWaysOfARoute) {
  const std::string rails = "network topologies --design rail-only --route 0 256 --json";
  EXPECT_EQ(run(rails + " --seed 1").out, run(rails).out);
  std::set<std::string> ways;
  for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
    const Ran ran = run(rails + " --seed " + seed);
    ASSERT_EQ(ran.status, 0) << ran.err;
    ways.insert(nlohmann::json::parse(ran.out).at("nodes").dump());
  }
  EXPECT_GT(ways.size(), 1U);
  for (const char* wrong :
       {"network topologies --seed 3", "network topologies --traffic ring --seed -1",
        "network topologies --traffic ring --seed 3.5", "network topologies --traffic ring --seed 7",
        "network topologies --traffic plan --seed 7"}) {
    const Ran refused = run(wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.err.find("--seed"), std::string::npos) << refused.err;
  }
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
    if (run("example " + name).out.find("{ search") != std::string::npos) continue;  // many datacenters
    EXPECT_EQ(run("network " + name + " --csv").status, 0) << name;
  }
}

TEST_F(Cli, NetworkWritesItsPage) {
  ASSERT_EQ(run("network llama3-405b-network --report " + path("networks.html")).status, 0);
  const std::string page = read_all(path("networks.html"));
  for (const char* part : {"Bill of materials", "rail-only-planes", "When something fails", "takes at least"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  expect_refused("network llama3-405b-network --traffic plan --report " + path("loads.html"),
                 {"excludes --report"});
}

}  // namespace
}  // namespace trainyard
