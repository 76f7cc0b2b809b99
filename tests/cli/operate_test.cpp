// operate: a day on a site, as a user asks for it.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, OperateAnswersForADay) {
  const Ran ran = run("operate llama3-day --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json.at("hours").size(), 24U);
  double energy = 0;
  for (const auto& hour : json.at("hours")) {
    EXPECT_LE(hour.at("power_w").get<double>(), hour.at("cap_w").get<double>());
    energy += hour.at("power_w").get<double>() * 3600;
  }
  EXPECT_NEAR(json.at("asked").at("energy_j_per_day").get<double>(), energy, 1e-6 * energy);
  EXPECT_LT(json.at("asked").at("speed").get<double>(), 1);
  ASSERT_FALSE(json.at("swings").empty());
  EXPECT_GT(json.at("swings").at(0).at("per_day").get<double>(), 10000);
  EXPECT_EQ(run("operate llama3-day").out.find("e+04"), std::string::npos);  // 12,345 a day
}

TEST_F(Cli, OperateAnswersForAWeek) {
  const std::string weekend = " --set operation.weekend_service=[0.1]";
  const Ran text = run("operate llama3-day" + weekend);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("Saturday, Sunday"), std::string::npos);
  const Ran json = run("operate llama3-day --json --report " + path("week.html") + weekend);
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out).at("hours").size(), 168U);
  EXPECT_NE(read_all(path("week.html")).find("Sat 12:00:"), std::string::npos);
  expect_refused("operate llama3-day --set operation.weekend_caps=[2]", {"operation.weekend_caps"});
  const Ran dark = run("operate llama3-day --set operation.weekend_caps=[0]");
  EXPECT_EQ(dark.status, 3);
  EXPECT_NE(dark.err.find("at Sat 00:00"), std::string::npos) << dark.err;
}

TEST_F(Cli, OperateDrawsItsDay) {
  const Ran ran = run("operate llama3-day --report " + path("day.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string page = read_all(path("day.html"));
  EXPECT_NE(page.find("other work"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST_F(Cli, OperateSaysWhenNotAllRunsEnd) {
  EXPECT_NE(run("operate llama3-day --set operation.service=[1]")
                .out.find("training never ends: other work, caps and prices"),
            std::string::npos);
  const std::string lacking =
      "operate llama3-day --set resilience.crews=6 --set resilience.failures=default --set "
      "resilience.spares=32 "
      "--set resilience.shrink=false";
  EXPECT_NE(run(lacking).out.find("some may never end"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(run(lacking + " --json").out).at("no_mean"), true);
  EXPECT_EQ(nlohmann::json::parse(run("operate llama3-day --json").out).at("no_mean"), false);
}

TEST_F(Cli, OperateSaysWhatIsWrong) {
  expect_refused("operate llama3-day --set operation.servce=[0.1]", {"did you mean 'service'?"});
  expect_refused("operate llama3-day --set operation.service=[2]", {"operation.service"});
  expect_refused("operate llama3-day --set operation.rule=service", {"service_first"});
  const Ran dark = run("operate llama3-day --set operation.caps=[0]");
  EXPECT_EQ(dark.status, 3) << dark.err;
}

}  // namespace
}  // namespace trainyard
