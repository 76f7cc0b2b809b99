// site: splits, places, grids and what they lack.
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

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

TEST_F(Cli, SiteMarksACapacityAboveTheNics) {
  const std::string slow = std::string(kSmallSplit) + " --set network.tail_loss_rtts=17.6";
  const Ran ran = run(slow + " --report " + path("split.html"));
  EXPECT_NE(ran.out.find(", more than its NICs' 800.0 Gbps"), std::string::npos) << ran.out << ran.err;
  EXPECT_NE(read_all(path("split.html")).find("more than its NICs"), std::string::npos);
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
  EXPECT_EQ(run("site --at 45.6,-121.1 --csv --set site.radii=[]").status, 2);
}

// 51.5,-0.12 is London.
TEST_F(Cli, SiteSaysWhenAPlaceIsFarFromTheGrid) {
  const Ran far = run("site --at 51.5,-0.12 --json");
  EXPECT_EQ(far.status, 0) << far.err;
  const auto warnings = nlohmann::json::parse(far.out).at("warnings").dump();
  EXPECT_NE(warnings.find("51.5,-0.12 is 5458 km from the nearest node of the grid"), std::string::npos)
      << warnings;
  const Ran near = run("site --at 45.6,-121.1 --json");
  EXPECT_EQ(near.out.find("from the nearest node of the grid"), std::string::npos) << near.out;
}

TEST_F(Cli, SiteCountsItsRadiiBeforeItLooksAtThem) {
  std::string radii;
  for (int m = 1; m <= 30'000; ++m) radii += (m == 1 ? "\"" : ",\"") + std::to_string(m) + " m\"";
  const std::string scenario_file = scenario("[mapping]", "[site]\nradii = [" + radii + "]\n[mapping]");
  expect_refused("site " + scenario_file, {"site.radii", "30000 radii", "at most", "radii here"});
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
