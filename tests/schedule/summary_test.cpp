// What a replay says of all jobs together, beside what it says of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "schedule_cases.h"

namespace trainyard {
namespace {

/// Of all sizes up to half of the cluster, some with a wait that their list records.
JobList drawn_jobs(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Job> jobs;
  double submit_s = 0;
  for (int i = 0; i < 120; ++i) {
    submit_s += static_cast<double>(random() % 600);
    jobs.push_back(job(submit_s, 1 + static_cast<std::int64_t>(random() % (i % 3 == 0 ? 64 : 9)),
                       60 + static_cast<double>(random() % 7200)));
    if (random() % 2 == 0) jobs.back().wait_recorded_s = static_cast<double>(random() % 1000);
  }
  return jobs_of(jobs);
}

/// The least value that so many of the values are not above, by counting.
double quantile_by_counting(const std::vector<double>& values, double share) {
  double out = INFINITY;
  for (const double value : values) {
    const auto below = std::count_if(values.begin(), values.end(), [&](double v) { return v <= value; });
    if (static_cast<double>(below) >= share * static_cast<double>(values.size())) out = std::min(out, value);
  }
  return out;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

using Value = std::function<double(std::size_t)>;

std::vector<double> values_of(const std::vector<std::size_t>& jobs, const Value& value) {
  std::vector<double> out;
  for (const std::size_t i : jobs) out.push_back(value(i));
  return out;
}

class Summaries : public testing::TestWithParam<const char*> {};

TEST_P(Summaries, AreThoseOfTheirJobs) {
  const JobList list = drawn_jobs(7);
  const ScheduleAnswer answer = study_schedule(
      shared_cluster(16, {GetParam(), "communication=0.4", "failures_per_1000_days=300"}), list);
  const auto wait = [&](std::size_t i) { return answer.jobs[i].wait.si(); };
  const auto run = [&](std::size_t i) { return list.jobs[i].run_s; };
  const auto recorded = [&](const std::vector<std::size_t>& jobs) {
    std::vector<double> out;
    for (const std::size_t i : jobs)
      if (list.jobs[i].wait_recorded_s) out.push_back(*list.jobs[i].wait_recorded_s);
    return out;
  };
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < list.jobs.size(); ++i) all.push_back(i);
  const ScheduleTotals& t = answer.totals;
  EXPECT_EQ(t.jobs, 120);
  EXPECT_NEAR(t.mean_wait.si(), mean_of(values_of(all, wait)), 1e-6);
  EXPECT_DOUBLE_EQ(t.median_wait.si(), quantile_by_counting(values_of(all, wait), 0.5));
  EXPECT_DOUBLE_EQ(t.p90_wait.si(), quantile_by_counting(values_of(all, wait), 0.9));
  EXPECT_DOUBLE_EQ(t.p99_wait.si(), quantile_by_counting(values_of(all, wait), 0.99));
  EXPECT_DOUBLE_EQ(t.median_run.si(), quantile_by_counting(values_of(all, run), 0.5));
  EXPECT_NEAR(t.mean_wait_recorded->si(), mean_of(recorded(all)), 1e-6);
  EXPECT_NEAR(
      t.mean_completion.si(),
      mean_of(values_of(all, [&](std::size_t i) { return answer.jobs[i].end.si() - list.jobs[i].submit_s; })),
      1e-6);
  std::int64_t failures = 0;
  std::int64_t finished = 0;
  std::int64_t classed = 0;
  for (const ScheduledJob& job : answer.jobs) {
    failures += job.failures;
    finished += job.finished ? 1 : 0;
  }
  EXPECT_EQ(t.failures, failures);
  EXPECT_EQ(t.finished, finished);
  // Every job is in the class of its devices, and classes follow one another.
  std::int64_t before = 0;
  for (const ScheduleClass& c : answer.classes) {
    EXPECT_GT(c.least_devices, before);
    EXPECT_TRUE(c.most_devices == 1 || c.least_devices == c.most_devices / 2 + 1);
    before = c.most_devices;
    std::vector<std::size_t> jobs;
    for (const std::size_t i : all)
      if (list.jobs[i].devices >= c.least_devices && list.jobs[i].devices <= c.most_devices)
        jobs.push_back(i);
    ASSERT_EQ(c.jobs, static_cast<std::int64_t>(jobs.size()));
    classed += c.jobs;
    EXPECT_NEAR(c.mean_wait.si(), mean_of(values_of(jobs, wait)), 1e-6);
    EXPECT_DOUBLE_EQ(c.median_wait.si(), quantile_by_counting(values_of(jobs, wait), 0.5));
    EXPECT_DOUBLE_EQ(c.p90_wait.si(), quantile_by_counting(values_of(jobs, wait), 0.9));
    EXPECT_DOUBLE_EQ(c.median_run.si(), quantile_by_counting(values_of(jobs, run), 0.5));
    EXPECT_NEAR(c.mean_slowdown,
                mean_of(values_of(jobs, [&](std::size_t i) { return answer.jobs[i].slowdown; })), 1e-9);
    ASSERT_EQ(c.mean_wait_recorded.has_value(), !recorded(jobs).empty());
    if (c.mean_wait_recorded) {
      EXPECT_NEAR(c.mean_wait_recorded->si(), mean_of(recorded(jobs)), 1e-6);
    }
  }
  EXPECT_EQ(classed, t.jobs);
}

/// Shares are of the device-seconds that uses add up to, and so are the windows of the course.
TEST_P(Summaries, UsesAndMomentsAreTheSameDeviceSeconds) {
  const ScheduleAnswer answer = study_schedule(
      shared_cluster(16, {GetParam(), "communication=0.4", "failures_per_1000_days=300", "spares=1"}),
      drawn_jobs(11));
  const double whole = static_cast<double>(answer.cluster.devices) * answer.totals.span.si();
  const ScheduleUse& use = answer.use;
  EXPECT_NEAR(sum_of(use) / whole, 1, 1e-9);
  const double used = use.useful + use.contention + use.suspending + use.failures;
  EXPECT_NEAR(answer.totals.used_share, used / whole, 1e-9);
  EXPECT_NEAR(answer.totals.useful_share, use.useful / whole, 1e-9);
  EXPECT_NEAR(answer.totals.mean_slowdown, 1 + use.contention / use.useful, 1e-9);
  double used_in_time = 0;
  double down_in_time = 0;
  double before_s = 0;
  for (const ScheduleMoment& moment : answer.moments) {
    const double seconds = moment.time.si() - before_s;
    EXPECT_GT(seconds, 0);
    before_s = moment.time.si();
    used_in_time += moment.used * seconds;
    down_in_time += moment.down * seconds;
    for (const double share : {moment.fragmented, moment.contended}) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1 + 1e-12);
    }
  }
  EXPECT_NEAR(before_s, answer.totals.span.si(), 1e-6);
  EXPECT_NEAR(used_in_time / used, 1, 1e-9);
  EXPECT_NEAR(down_in_time / use.down, 1, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Placements, Summaries,
                         testing::Values("placement=\"anywhere\"", "placement=\"leaf\""));

}  // namespace
}  // namespace trainyard
