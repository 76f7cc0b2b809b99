// What holds under every rule.
#include <gtest/gtest.h>

#include <random>

#include "schedule_cases.h"

namespace trainyard {
namespace {

JobList random_jobs(std::mt19937& random, int count) {
  std::vector<Job> jobs;
  double at_s = 0;
  for (int i = 0; i < count; ++i) {
    at_s += static_cast<double>(random() % 200);
    Job it = job(at_s, 1 + random() % (random() % 4 == 0 ? 128 : 12), static_cast<double>(random() % 4000),
                 static_cast<int>(random() % 3));
    it.estimate_s = it.run_s * (0.5 + 0.001 * static_cast<double>(random() % 1000));
    if (random() % 3 == 0) it.pattern = "all_to_all";
    jobs.push_back(it);
  }
  return jobs_of(jobs);
}

std::vector<std::string> random_rules(std::mt19937& random) {
  const auto one_of = [&](std::initializer_list<const char*> names) {
    return "\"" + std::string(names.begin()[random() % names.size()]) + "\"";
  };
  std::vector<std::string> out = {
      "placement=" + one_of({"first", "best", "leaf", "anywhere"}),
      "backfill=" + one_of({"none", "easy"}),
      "overlap=" + one_of({"together", "apart"}),
      "communication=0." + std::to_string(1 + random() % 9),
      "seed=" + std::to_string(random() % 1000),
      std::string("migrate=") + (random() % 2 == 0 ? "true" : "false"),
  };
  if (random() % 2 == 0) out.insert(out.end(), {"order=\"priority\"", "preempt=true"});
  if (random() % 2 == 0)
    out.insert(out.end(), {"failures_per_1000_days=2000", "repair_time=\"2 h\"",
                           "checkpoint_interval=\"10 min\"", "spares=" + std::to_string(random() % 4)});
  return out;
}

TEST(Rules, AllJobsEndAndEverySecondIsSomewhere) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const JobList list = random_jobs(random, 150);
    const std::vector<std::string> rules = random_rules(random);
    const ScheduleAnswer answer = study_schedule(shared_cluster(24, rules), list);
    std::string said;
    for (const std::string& rule : rules) said += rule + " ";
    ASSERT_EQ(answer.totals.finished, 150) << said;
    const double all = 24 * 8 * answer.totals.span.si();
    ASSERT_NEAR(sum_of(answer.use), all, 1e-7 * all) << said;
    double work = 0;
    for (std::size_t i = 0; i < list.jobs.size(); ++i) {
      const Job& it = list.jobs[i];
      work += static_cast<double>(it.devices) * it.run_s;
      ASSERT_GE(answer.jobs[i].wait.si(), 0) << said;
      ASSERT_GE(answer.jobs[i].end.si() - answer.jobs[i].start.si(), it.run_s * (1 - 1e-9)) << said;
    }
    ASSERT_NEAR(answer.use.useful, work, 1e-7 * work) << said;
    ASSERT_LE(answer.totals.useful_share, answer.totals.used_share) << said;
  }
}

TEST(Rules, ChoicesAreTheSameForAnyNumberOfThreads) {
  std::mt19937 random(5);
  const JobList list = random_jobs(random, 60);
  const Scenario scenario = shared_cluster(24, {"failures_per_1000_days=500"});
  const auto one = compare_schedules(scenario, list, 1);
  const auto two = compare_schedules(scenario, list, 2);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].name, two[i].name);
    ASSERT_EQ(one[i].totals.has_value(), two[i].totals.has_value());
    if (!one[i].totals) continue;
    EXPECT_EQ(one[i].totals->mean_completion.si(), two[i].totals->mean_completion.si());
  }
}

}  // namespace
}  // namespace trainyard
