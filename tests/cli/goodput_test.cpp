// goodput: a run of months, as a user asks for it.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

nlohmann::json answer_without_time(const std::string& text) {
  auto json = nlohmann::json::parse(text);
  json.erase("cpu_s");
  return json;
}

TEST_F(Cli, GoodputAnswersForMonths) {
  const Ran ran = run("goodput llama3-405b-months --runs 200 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_GT(json.at("ettr").at("mean").get<double>(), 0.9);
  EXPECT_NEAR(json.at("interruptions").at("mean").get<double>(), 419, 10);
  EXPECT_EQ(json.at("runs"), 200);
  EXPECT_GT(json.at("days").at("mean").get<double>(), json.at("ideal_days").get<double>());
  EXPECT_GT(json.at("checkpoint_interval_s").get<double>(), 0);
  EXPECT_GE(json.at("cpu_s").get<double>(), 0);
  double hours = json.at("useful_hours").get<double>();
  for (const auto& [cause, lost] : json.at("lost_hours").items()) hours += lost.get<double>();
  EXPECT_NEAR(hours, json.at("period_hours").get<double>(), 1e-6);
}

TEST_F(Cli, GoodputIsTheSameForAnyNumberOfThreads) {
  const std::string question = "goodput llama3-405b-months --runs 150 --json --threads ";
  EXPECT_EQ(answer_without_time(run(question + "1").out), answer_without_time(run(question + "3").out));
}

TEST_F(Cli, GoodputComparesWithPublishedRuns) {
  const Ran ran = run("goodput --published --csv");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("llama3-405b,interruptions,419"), std::string::npos) << ran.out;
  const auto rows = nlohmann::json::parse(run("goodput --published --json").out);
  EXPECT_EQ(rows.at(0).at("published"), 419);
  EXPECT_EQ(rows.at(0).at("relation"), "equal");
  EXPECT_TRUE(rows.at(0).at("by_set").is_number());
  EXPECT_TRUE(rows.at(0).at("agrees").is_boolean());
  expect_refused("goodput llama3-405b --published", {"--published"});
  expect_refused("goodput --published --runs 3", {"--runs", "--published"});
  expect_refused("goodput --published --set resilience.runs=3", {"--set resilience.runs=3", "no settings"});
}

TEST_F(Cli, GoodputSaysWhenSparesDoNotPay) {
  const std::string shrinks = "goodput llama3-405b-months --runs 50 --set resilience.shrink=true --json ";
  const auto ettr = [&](const std::string& spares) {
    return nlohmann::json::parse(run(shrinks + "--set resilience.spares=" + spares).out);
  };
  const auto none = ettr("0");
  const auto one = ettr("1");
  EXPECT_GE(one.at("closed_form").at("ettr").get<double>(), none.at("closed_form").at("ettr").get<double>());
  EXPECT_FALSE(one.contains("spares_do_not_pay"));
  // Swaps of 10 minutes for each failure, where a replica in 128 lacks for a day.
  const std::string cold = "--set resilience.spares=32 --set resilience.spare_kind=cold";
  const auto json = nlohmann::json::parse(run(shrinks + cold).out);
  const std::string why = json.at("spares_do_not_pay");
  EXPECT_NE(why.find("a swap stops training for 600.0 s"), std::string::npos) << why;
  EXPECT_NE(run("goodput llama3-405b-months --runs 50 --set resilience.shrink=true " + cold).out.find(why),
            std::string::npos);
}

TEST_F(Cli, GoodputDrawsItsFirstRun) {
  const Ran ran = run("goodput llama3-405b-months --set resilience.failures=default --runs 20 --report " +
                      path("months.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string page = read_all(path("months.html"));
  EXPECT_NE(page.find("down (gpu)"), std::string::npos);
  EXPECT_NE(page.find("of the lost time"), std::string::npos);
  // No bars of which nothing is seen.
  EXPECT_NE(page.find(" other causes, less than 1% each"), std::string::npos);
  EXPECT_EQ(page.find(": 0.00 h"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST_F(Cli, GoodputSaysWhatIsWrong) {
  expect_refused("goodput", {"no scenario"});
  expect_refused("goodput llama3-405b --set resilience.failures=lama3", {"did you mean 'llama3'?"});
  expect_refused("goodput llama3-405b --set resilience.spars=3", {"did you mean 'spares'?"});
  expect_refused("goodput llama3-405b --runs 0", {"--runs"});
  const std::string own = " --set catalog.failures.llama3.source=test --set ";
  expect_refused("goodput llama3-405b-months" + own + "catalog.failures.llama3.wear_time='\"1 s\"'",
                 {"'catalog.failures.llama3.wear_time' is 1.000 s", "allowed: at least 24.00 h"});
  for (const char* time : {"hot_swap", "detection", "repair", "silent_detection", "infant_time"})
    expect_refused("goodput llama3-405b-months" + own + "catalog.failures.llama3." + time + "='\"1e30 s\"'",
                   {std::string("'catalog.failures.llama3.") + time + "' is", "10000 years"});
  for (const char* time : {"age", "restart", "write_time"})
    expect_refused(std::string("goodput llama3-405b-months --set resilience.") + time + "='\"1e30 s\"'",
                   {std::string("'resilience.") + time + "' is", "allowed: 0 to 10000 years"});
  expect_refused("goodput llama3-405b --runs 1000000", {"--runs resilience.runs=1000000: error", "at most"});
  const std::string busy = file("busy.toml", R"(
[facility]
devices = 16384
hb_domain = "dgx-h100"
[model]
name = "llama3-405b"
[catalog.failures.busy]
based_on = "rsc1"
source = "a test"
gpu = 1000
detection = "0 s"
hang_share = 0
manual_share = 0
restart = "0 s"
repair = "1 s"
[resilience]
failures = "busy"
period = "9 years"
write_time = "0 s"
)");
  expect_refused("goodput " + busy, {"more than can be simulated", "a period of at most"});
}

TEST_F(Cli, GoodputOfPartsThatNeverFailHasNoTimesBetweenFailures) {
  std::string text =
      "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
      "[resilience]\nfailures = \"none\"\n[catalog.failures.none]\nsource = \"a test\"\n";
  for (const char* part :
       {"gpu", "memory", "nic", "transceiver", "cable", "switch_chip", "plane", "host", "rack_power",
        "power_feed", "cooling", "site", "software", "silent", "straggler", "planned"})
    text += std::string(part) + " = 0\n";
  const Ran ran = run("goodput " + file("none.toml", text) + " --runs 20");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("0 to 0; none"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Young none, Daly none"), std::string::npos) << ran.out;
}

TEST_F(Cli, GoodputRefusesServersThatDoNotMakeUpHbDomains) {
  expect_refused("goodput llama3-405b-months --set resilience.host_devices=3",
                 {"servers of 3 accelerators do not make up HB domains of 8", "allowed: 1, 2, 4, 8"});
  EXPECT_EQ(run("goodput llama3-405b-months --runs 10 --set resilience.host_devices=16").status, 0);
  expect_refused("years two-generations --set resilience.host_devices=16",
                 {"do not make up HB domains of 72"});
}

TEST_F(Cli, GoodputWithoutAnEndIsAnAnswer) {
  const Ran ran = run("goodput llama3-405b --set resilience.restart='300 h'");
  EXPECT_EQ(ran.status, 3) << ran.err;
  EXPECT_NE((ran.out + ran.err).find("a failure every"), std::string::npos) << ran.out << ran.err;
  const std::string plan = run("plan llama3-405b --set resilience.restart='300 h'").out;
  EXPECT_NE(plan.find("training does not end"), std::string::npos) << plan;
}

TEST_F(Cli, GoodputSaysWhatWouldLetTrainingEnd) {
  const auto refused = [&](const std::string& failures, const std::string& more = {}) {
    const std::string text = run("example llama3-405b-months").out +
                             "\n[catalog.failures.mine]\nbased_on = \"default\"\nsource = \"a test\"\n" +
                             failures;
    const Ran ran = run("goodput " + file("mine.toml", text) + " --set resilience.failures=mine " + more);
    EXPECT_EQ(ran.status, 3) << failures;
    return ran.out + ran.err;
  };
  const std::string old = refused("wear_time = \"1 year\"\n", "--set 'resilience.age=\"200 years\"'");
  EXPECT_NE(old.find("resilience.age = \"0 s\""), std::string::npos) << old;
  EXPECT_NE(old.find("parts that do not wear out"), std::string::npos) << old;
  const std::string young = refused("infant_factor = 1000\ninfant_time = \"10 years\"\n");
  EXPECT_NE(young.find("parts that are run in"), std::string::npos) << young;
  EXPECT_EQ(young.find("wear out"), std::string::npos) << young;
  const std::string unseen = refused("silent_detection = \"1000 years\"\n");
  EXPECT_NE(unseen.find("wrong results and slow servers found"), std::string::npos) << unseen;
}

TEST_F(Cli, GoodputSaysFirstThatRunsNeverEnd) {
  // Seven servers break a day, of which a crew repairs one: some runs use up the spares before they end.
  const std::string lacking =
      "goodput llama3-405b-months --runs 300 --set resilience.crews=6 --set resilience.failures=default "
      "--set resilience.spares=";
  const auto json = nlohmann::json::parse(run(lacking + "32 --json").out);
  const auto& days = json.at("days");
  ASSERT_LT(days.at("ended_share").get<double>(), 1);
  ASSERT_GT(days.at("ended_share").get<double>(), 0.5);
  EXPECT_TRUE(days.at("mean").is_null());
  EXPECT_TRUE(days.at("closed_form").is_null());
  EXPECT_TRUE(json.at("best_spares").is_null());
  EXPECT_GT(days.at("median").get<double>(), json.at("ideal_days").get<double>());
  EXPECT_GT(json.at("usd").get<double>(), json.at("ideal_usd").get<double>());
  const std::string text = run(lacking + "32").out;
  EXPECT_NE(text.find("training ends in"), std::string::npos) << text;
  EXPECT_NE(text.find("half of the runs take"), std::string::npos);
  EXPECT_NE(text.find("never end"), std::string::npos);
  EXPECT_EQ(text.find("training takes"), std::string::npos);
  EXPECT_NE(text.find("with none of these do all runs end"), std::string::npos);
  ASSERT_EQ(run(lacking + "32 --report " + path("some.html")).status, 0);
  const std::string page = read_all(path("some.html"));
  EXPECT_NE(page.find("runs that end"), std::string::npos);
  EXPECT_NE(page.find("half of the runs take"), std::string::npos);
  EXPECT_NE(run("plan llama3-405b-months --set resilience.crews=6 --set resilience.failures=default --set "
                "resilience.spares=32")
                .out.find("some may never end"),
            std::string::npos);
}

TEST_F(Cli, GoodputSaysHowFarApartRunsLie) {
  const std::string lacking =
      "goodput llama3-405b-months --runs 300 --set resilience.failures=default --set resilience.crews=8 "
      "--set "
      "resilience.spares=10";
  const auto days = nlohmann::json::parse(run(lacking + " --json").out).at("days");
  const double of_runs = days.at("standard_error").get<double>() * std::sqrt(300);
  EXPECT_NEAR(days.at("closed_form_deviation").get<double>() / of_runs, 1, 0.2);
  const std::string text = run(lacking).out;
  EXPECT_NE(text.find("runs lie far apart (standard deviation"), std::string::npos) << text;
  const std::size_t known = text.find("the mean of 300 runs is known to +- ");
  ASSERT_NE(known, std::string::npos) << text;
  // Days beside days: not hours.
  EXPECT_NE(text.substr(known, text.find('\n', known) - known).find(" days (95%)"), std::string::npos)
      << text;
  EXPECT_EQ(run("goodput llama3-405b-months --runs 300").out.find("far apart"), std::string::npos);
}

TEST_F(Cli, GoodputOfAShortPeriodIsThatOfItsBeginning) {
  const std::string minutes = "goodput llama3-405b-months --runs 4000 --set resilience.period='\"10 min\"'";
  const auto json = nlohmann::json::parse(run(minutes + " --json").out);
  EXPECT_NEAR(json.at("closed_form").at("ettr").get<double>(), json.at("ettr").at("mean").get<double>(),
              4 * json.at("ettr").at("standard_error").get<double>());
  EXPECT_GT(json.at("closed_form").at("ettr").get<double>(), 0.97);
  const std::string text = run(minutes).out;
  EXPECT_NE(text.find("600.0 s of 2,048 servers"), std::string::npos) << text;
  EXPECT_NE(text.find("begins with all servers and no recovery"), std::string::npos) << text;
  EXPECT_NE(text.find("Lost seconds of 600,"), std::string::npos) << text;
  // Swaps that are never over: nothing is useful, and that is a number.
  const Ran never =
      run("goodput llama3-405b-months --set catalog.failures.llama3.source=test --set "
          "catalog.failures.llama3.hot_swap='\"10000 years\"'");
  EXPECT_EQ(never.status, 3) << never.out << never.err;
  EXPECT_EQ(never.err.find("nan"), std::string::npos) << never.err;
}

TEST_F(Cli, GoodputHasNoSpreadOfRunsThatItDoesNotSimulate) {
  const std::string centuries = "goodput llama3-405b-months --runs 10 --set training.tokens=1e17";
  const auto days = nlohmann::json::parse(run(centuries + " --json").out).at("days");
  for (const char* of_runs : {"low", "high", "median", "standard_error", "mean_of_ended", "ended_share"})
    EXPECT_TRUE(days.at(of_runs).is_null()) << of_runs;
  EXPECT_EQ(days.at("mean"), days.at("closed_form"));
  const std::string text = run(centuries).out;
  const std::size_t takes = text.find("training takes");
  ASSERT_NE(takes, std::string::npos) << text;
  EXPECT_EQ(text.substr(takes, text.find('\n', takes) - takes).find("95% of runs"), std::string::npos)
      << text;
  EXPECT_NE(text.find("more years go by"), std::string::npos) << text;
}

TEST_F(Cli, SearchFindsSparesWhereWithoutThemTrainingDoesNotEnd) {
  const std::string question = file("spares.toml", R"(
[facility]
devices = 16384
hb_domain = "dgx-h100"
[model]
name = "llama3-405b"
[mapping]
tensor = 8
pipeline = 16
[resilience]
failures = "llama3"
shrink = false
spares = { search = [0, 4, 16] }
[search]
objective = "step.calendar_time_s"
)");
  const Ran ran = run("search " + question);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("resilience.spares = 16"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("0   no answer"), std::string::npos) << ran.out;
}

TEST_F(Cli, GoodputAndPlanGiveTheSameDays) {
  // Servers are lacking most of the time, less so in the days after the beginning.
  const std::string lacking =
      " llama3-405b-months --set resilience.spares=4 --set 'resilience.failures=default' --json";
  const auto months = nlohmann::json::parse(run("goodput" + lacking).out);
  const auto form = months.at("closed_form");
  EXPECT_NEAR(months.at("ettr").at("mean").get<double>(), form.at("ettr").get<double>(), 0.01);
  EXPECT_LT(form.at("long_run_ettr").get<double>(), form.at("ettr").get<double>() - 0.01);
  const auto step = nlohmann::json::parse(run("plan" + lacking).out).at("step");
  EXPECT_NEAR(step.at("calendar_time_s").get<double>() / 86400 / months.at("days").at("mean").get<double>(),
              1, 0.03);
}

}  // namespace
}  // namespace trainyard
