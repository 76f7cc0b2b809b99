// plan: answers, settings, mistakes in scenarios.
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

/// What leaves devices idle is named where the user said it, and not where the program chose it.
TEST_F(Cli, IdleDevicesAreBlamedOnWhatIsStated) {
  const std::string path = file(
      "idle.toml", "[facility]\ndevices = 2048\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-70b\"\n");
  EXPECT_EQ(run("plan " + path).out.find("devices idle\n"), std::string::npos);
  const std::string stated = run("plan " + path + " --set mapping.tensor=3 --set mapping.context=4").out;
  EXPECT_TRUE(
      std::regex_search(stated, std::regex("tensor = 3, context = 4 leave [1-9][0-9]+ of 2048 devices idle")))
      << stated;
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

TEST_F(Cli, TheGuidesSmallestScenarioPlans) {
  const std::string guide = read_all(std::string(TRAINYARD_SOURCE_DIR) + "/docs/guide.md");
  const std::string fence = "```toml\n";
  const auto begin = guide.find(fence) + fence.size();
  const std::string snippet = guide.substr(begin, guide.find("```", begin) - begin);
  ASSERT_NE(snippet.find("[facility]"), std::string::npos);
  const Ran ran = run("plan " + file("guide.toml", snippet));
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(Cli, AnExplanationIsARecord) {
  const Ran text = run("plan hotnets24-dense --explain step.mfu");
  const auto json = nlohmann::json::parse(run("plan hotnets24-dense --explain step.mfu --json").out);
  EXPECT_EQ(json.at("key"), "step.mfu");
  EXPECT_NE(text.out.find(json.at("formula").get<std::string>()), std::string::npos);
  const auto plan = nlohmann::json::parse(run("plan hotnets24-dense --json").out);
  EXPECT_EQ(json.at("value"), plan.at("step").at("mfu"));
  for (const auto& [key, value] : json.at("inputs").items()) {
    const auto dot = key.find('.');
    EXPECT_EQ(value, plan.at(key.substr(0, dot)).at(key.substr(dot + 1))) << key;
  }
}

}  // namespace
}  // namespace trainyard
