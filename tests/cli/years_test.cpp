// years: a site that is bought in phases, as a user asks for it.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, YearsAnswerForPhases) {
  const Ran ran = run("years two-generations --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("phases").size(), 3U);
  EXPECT_EQ(json.at("months").size(), 60U);
  double paid = 0;
  for (const auto& month : json.at("months")) paid += month.at("paid_usd").get<double>();
  EXPECT_NEAR(json.at("asked").at("paid_usd").get<double>(), paid, 1e-6 * paid);
}

TEST_F(Cli, AnswersByDefaultRatesSaySo) {
  for (const char* command : {"years llama3-405b", "operate llama3-405b"}) {
    const std::string words = "failures at default rates: the scenario has no [resilience]";
    EXPECT_NE(run(command).out.find(words), std::string::npos) << command;
    EXPECT_EQ(run(std::string(command) + " --set resilience.failures=llama3").out.find(words),
              std::string::npos)
        << command;
    ASSERT_EQ(run(std::string(command) + " --report " + path("rates.html")).status, 0);
    EXPECT_NE(read_all(path("rates.html")).find(words), std::string::npos) << command;
    const auto json = nlohmann::json::parse(run(std::string(command) + " --json").out);
    EXPECT_EQ(json.at("failures").at("set"), "default") << command;
    EXPECT_EQ(json.at("failures").at("by_default"), true) << command;
  }
  // A million devices never train at default rates: who did not ask for failures is answered so.
  EXPECT_NE(run("operate hotnets24-dense").out.find("training never ends: `trainyard goodput` says why"),
            std::string::npos);
  EXPECT_NE(run("years hotnets24-dense").out.find("not through by then"), std::string::npos);
  EXPECT_EQ(run("years hotnets24-dense --set resilience.spares=1").status, 3);
  EXPECT_EQ(run("operate hotnets24-dense --set resilience.spares=1").status, 3);
  const auto operate = nlohmann::json::parse(run("operate llama3-405b --json").out);
  const auto plan = nlohmann::json::parse(run("plan llama3-405b --json").out).at("step");
  const auto years = nlohmann::json::parse(run("years llama3-405b --json").out);
  const double useful = plan.at("useful_share").get<double>();
  EXPECT_LT(useful, 1);
  EXPECT_NEAR(operate.at("goodput").get<double>(), useful, 1e-4);
  EXPECT_NEAR(years.at("phases").at(0).at("useful_share").get<double>(), useful, 0.01);
}

TEST_F(Cli, YearsSayWhosePortsAreWatched) {
  const std::string words = "the phases first, second and next, which serve together from year 1.822 on";
  EXPECT_NE(run("years two-generations").out.find("ports and useful time are those of " + words),
            std::string::npos);
  EXPECT_NE(
      run("years two-generations --set ownership.ports=1e6").out.find("useful time is that of " + words),
      std::string::npos);
  const auto json = nlohmann::json::parse(run("years two-generations --json").out);
  EXPECT_EQ(json.at("watched_devices"), 8192 + 8192 + 9216);
  double ports = 0;
  for (const auto& phase : json.at("phases")) ports += phase.at("ports").get<double>();
  EXPECT_EQ(json.at("ports"), ports);
  // What serves beyond the horizon is not watched.
  const auto soon =
      nlohmann::json::parse(run("years two-generations --json --set ownership.horizon='\"365 days\"'").out);
  EXPECT_EQ(soon.at("watched_phases"), nlohmann::json::array({"first"}));
  EXPECT_EQ(soon.at("ports"), soon.at("phases").at(0).at("ports"));
  ASSERT_EQ(run("years two-generations --report " + path("ports.html")).status, 0);
  EXPECT_NE(read_all(path("ports.html")).find("which serve together from year 1.822 on"), std::string::npos);
  EXPECT_EQ(run("years llama3-405b").out.find("those of the phase"), std::string::npos);
  // A month that the horizon cuts holds fewer devices in the mean.
  const std::string cut =
      file("cut.toml",
           "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
           "[ownership]\nhorizon = \"211 days\"\n");
  const Ran ran = run("years " + cut);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out.find("those of the phase"), std::string::npos) << ran.out;
}

TEST_F(Cli, YearsDrawThem) {
  const Ran ran = run("years two-generations --report " + path("years.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string page = read_all(path("years.html"));
  EXPECT_NE(page.find("all ordered at once"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST_F(Cli, YearsSayWhatIsWrong) {
  expect_refused("years two-generations --set ownership.horizn='\"1 day\"'", {"did you mean 'horizon'?"});
  expect_refused("years two-generations --set 'phase=[{name=\"a\",devices=8192,hb_domain=\"nvl72-gb2\"}]'",
                 {"did you mean 'nvl72-gb200'?"});
  const Ran small = run("years two-generations --set 'phase=[{name=\"first\",devices=64}]'");
  EXPECT_EQ(small.status, 3);
  EXPECT_NE(small.err.find("phase 'first' of 64 devices trains: device memory"), std::string::npos)
      << small.err;
}

TEST_F(Cli, YearsAreAnsweredWhereTheUsualNetworkHasNoSuchPorts) {
  const std::string odd = "years llama3-405b --set 'network.scale_out_rate=\"123 Gbps\"'";
  const Ran ran = run(odd);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("watching is left out: the scenario has no [[design]]"), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("123.0 Gbps"), std::string::npos);
  EXPECT_EQ(ran.out.find("100.0%"), std::string::npos) << "useful time without failures is not known";
  const auto json = nlohmann::json::parse(run(odd + " --json").out);
  EXPECT_TRUE(json.at("ports").is_null());
  EXPECT_TRUE(json.at("watches").empty());
  EXPECT_NE(json.at("not_watched").get<std::string>().find("ownership.ports"), std::string::npos);
  // With ports of one's own bytes are known, useful time is not.
  const auto counted = nlohmann::json::parse(run(odd + " --set ownership.ports=1e6 --json").out);
  EXPECT_GT(counted.at("watches").at(0).at("bytes_per_second").get<double>(), 0);
  EXPECT_TRUE(counted.at("watches").at(0).at("useful_share").is_null());
  ASSERT_EQ(run(odd + " --report " + path("years.html")).status, 0);
  EXPECT_NE(read_all(path("years.html")).find("not watched"), std::string::npos);
  // A network of the scenario's own, and failures that it asks for, are not left out; the nearest rate is
  // named.
  expect_refused(odd + " --set 'design=[{name=\"mine\"}]'",
                 {"has no such ports", "nearest: network.scale_out_rate = \"100.0 Gbps\""});
  expect_refused(odd + " --set resilience.spares=1", {"has no such ports", "nearest"});
}

}  // namespace
}  // namespace trainyard
