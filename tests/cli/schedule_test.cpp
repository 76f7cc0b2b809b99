// schedule: many jobs on one cluster, as a user asks for them.
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

// Two jobs of the whole cluster, one after the other: the second waits for what is left of the first.
constexpr const char* kTwoLarge = "submit_s,devices,run_s\n0,2048,1000\n400,2048,1000\n";
constexpr const char* kWithoutFailures = " --set schedule.failures_per_1000_days=0";

TEST_F(Cli, ScheduleReplaysAList) {
  const Ran ran = run("schedule " + file("two.csv", kTwoLarge) + " shared-cluster --json" + kWithoutFailures);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("list").at("format"), "trainyard");
  EXPECT_EQ(json.at("cluster").at("devices"), 2048);
  const auto& totals = json.at("totals");
  EXPECT_EQ(totals.at("finished"), 2);
  EXPECT_NEAR(totals.at("mean_wait_s").get<double>(), 300, 1e-6);
  EXPECT_NEAR(totals.at("mean_completion_s").get<double>(), 1300, 1e-6);
  EXPECT_TRUE(totals.at("mean_wait_recorded_s").is_null());
  double shares = 0;
  for (const auto& [what, share] : json.at("device_time_shares").items()) shares += share.get<double>();
  EXPECT_NEAR(shares, 1, 1e-9);
}

TEST_F(Cli, ScheduleListsJobs) {
  const Ran ran = run("schedule " + file("two.csv", kTwoLarge) + " --csv" + kWithoutFailures);
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::istringstream lines(ran.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("name,user,devices,submit_s,run_s,wait_s")) << line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("line 2,,2048,0,1000,0,")) << line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("line 3,,2048,400,1000,600,")) << line;
}

TEST_F(Cli, ScheduleMakesAListAndReadsItAgain) {
  const Ran made =
      run("schedule synthetic --jobs 100 --days 1 --load 0.5 --json --write-jobs " + path("jobs.csv"));
  ASSERT_EQ(made.status, 0) << made.err;
  const Ran read = run("schedule " + path("jobs.csv") + " --json");
  ASSERT_EQ(read.status, 0) << read.err;
  const auto a = nlohmann::json::parse(made.out);
  const auto b = nlohmann::json::parse(read.out);
  EXPECT_EQ(a.at("totals"), b.at("totals"));
  EXPECT_EQ(a.at("list").at("jobs"), 100);
  EXPECT_NEAR(a.at("list").at("device_s").get<double>(), 0.5 * 2048 * 86400, 1e-3 * 0.5 * 2048 * 86400);
  const Ran again = run("schedule synthetic --jobs 100 --days 1 --load 0.5 --json");
  EXPECT_EQ(again.out, made.out);
}

TEST_F(Cli, ScheduleFitsATerminal) {
  const Ran ran = run("schedule synthetic --jobs 300 --days 2 --compare --threads 2");
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_NE(ran.out.find("By placement"), std::string::npos);
  const Ran alone = run("schedule synthetic --jobs 300 --days 2 --compare --threads 1");
  EXPECT_EQ(alone.out, ran.out);
}

TEST_F(Cli, ScheduleDrawsAPage) {
  const Ran ran = run("schedule synthetic --jobs 50 --days 1 --report " + path("jobs.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string page = read_all(path("jobs.html"));
  EXPECT_NE(page.find("devices that waiting jobs ask for"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST_F(Cli, SchedulePutsPublishedFiguresBeside) {
  const std::string list =
      file("Venus.csv",
           "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
           "1,u,v,8,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:11,2020-06-09 18:44:41,210,10\n");
  const Ran ran = run("schedule " + list);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("Of Helios Venus"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("+2.9%"), std::string::npos) << ran.out;  // 210 s beside 204 s
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  const auto json = nlohmann::json::parse(run("schedule " + list + " --json").out);
  EXPECT_EQ(json.at("list").at("median_run_s"), 210);
  EXPECT_EQ(json.at("list").at("mean_wait_recorded_s"), 10);
}

TEST_F(Cli, ScheduleShowsFailedParts) {
  const std::string question = "schedule synthetic --jobs 50 --days 1 --set schedule.part_failures=default";
  const Ran ran = run(question + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_FALSE(json.at("outages").empty());
  EXPECT_EQ(json.at("outages")[0].at("part"), "link of a device");
  EXPECT_EQ(json.at("outages")[0].at("parts"), 2048);
  std::istringstream lines(run(question).out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(Cli, ScheduleSaysWhatHasNoEffect) {
  const std::string question =
      "schedule synthetic --jobs 20 --days 1 --json --set schedule.contention=false" +
      std::string(kWithoutFailures);
  const auto notes = [&](const std::string& changes) {
    return nlohmann::json::parse(run(question + changes).out).at("notes").dump();
  };
  EXPECT_NE(notes(" --set schedule.checked=0.5").find("schedule.checked has no effect"), std::string::npos);
  EXPECT_NE(notes(" --set schedule.spares=2").find("schedule.spares has no effect: nothing fails"),
            std::string::npos);
  EXPECT_EQ(notes(""), "[]");
}

TEST_F(Cli, ScheduleSaysWhatIsWrong) {
  expect_refused("schedule " + file("back.csv", "submit_s,devices,run_s\n5,1,1\n4,1,1\n"),
                 {"back.csv:3:1", "before the row above"});
  expect_refused("schedule " + file("negative.csv", "submit_s,devices,run_s\n5,1,-1\n"),
                 {"negative.csv:2:5"});
  expect_refused("schedule " + file("large.csv", "submit_s,devices,run_s\n0,8,1\n5,4096,1\n"),
                 {"large.csv, row 3, column 'devices'", "4096", "2048"});
  expect_refused("schedule " + file("what.csv", "a,b\n1,2\n"), {"what.csv:1", "helios"});
  expect_refused("schedule " + file("two.csv", kTwoLarge) + " --jobs-format heliso",
                 {"did you mean 'helios'?"});
  expect_refused("schedule " + file("two.csv", kTwoLarge) + " --load 0.5", {"--load"});
  expect_refused("schedule synthetic --load nan", {"--load"});
  expect_refused("schedule synthetic --load 0", {"--load: error: 0 is no share"});
  expect_refused("schedule synthetic --load 1e300", {"--load: error: 1e+300 is no share", "up to 100"});
  expect_refused("schedule synthetic --load 1e-300", {"2000 jobs of a second at least", "fewer jobs"});
  expect_refused("schedule synthetic --skip-bad-rows", {"--skip-bad-rows: error: a synthetic list"});
  expect_refused("schedule synthetic --set schedule.part_failures=defualt", {"did you mean 'default'?"});
  const std::string list = file("two.csv", kTwoLarge);
  expect_refused("schedule " + list + " --write-jobs " + list, {"would replace what the run reads"});
  EXPECT_EQ(read_all(list), kTwoLarge);
  expect_refused("schedule synthetic --jobs 0", {"--jobs"});
  expect_refused("schedule synthetic --jobs 2.5", {"--jobs"});
  expect_refused("schedule synthetic --days -1", {"--days"});
  expect_refused("schedule synthetic --compare --csv", {"--compare"});
  expect_refused("schedule synthetic --set schedule.order=shortes", {"did you mean 'shortest'?"});
  expect_refused("schedule no-such-file.csv", {"no-such-file.csv"});
  expect_refused("schedule", {"list"});
}

TEST_F(Cli, ThreadsOfASchedulesAreOfComparisons) {
  expect_refused("schedule synthetic --jobs 5 --threads 2", {"--threads requires --compare"});
}

}  // namespace
}  // namespace trainyard
