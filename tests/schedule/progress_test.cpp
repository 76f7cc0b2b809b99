// What long questions tell on their way: how much of how much, never less than before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "schedule_cases.h"

namespace trainyard {
namespace {

struct Told {
  std::vector<std::size_t> done;
  std::size_t total = 0;
};

/// By what is done.
class Listener {
 public:
  ScheduleProgress hear() {
    return [this](const char* what, std::size_t done, std::size_t total) {
      told_[what].done.push_back(done);
      told_[what].total = total;
    };
  }
  const Told& of(const std::string& what) { return told_[what]; }

 private:
  std::map<std::string, Told> told_;
};

TEST(Progress, OfALongListTellsJobsThatHaveEnded) {
  std::vector<Job> jobs;
  for (int i = 0; i < 3000; ++i) jobs.push_back(job(i, 8, 1));
  Listener listener;
  study_schedule(shared_cluster(4), jobs_of(jobs), listener.hear());
  const Told& told = listener.of("jobs");
  ASSERT_GE(told.done.size(), 2U);
  EXPECT_EQ(told.total, jobs.size());
  EXPECT_TRUE(std::is_sorted(told.done.begin(), told.done.end()));
  EXPECT_LT(told.done.front(), told.done.back());
  EXPECT_LE(told.done.back(), told.total);
}

TEST(Progress, OfChecksTellsThoseBefore) {
  const JobList list = jobs_of({job(0, 16, 9000), job(0, 16, 9000), job(0, 16, 9000), job(0, 16, 9000)});
  Listener listener;
  const ScheduleAnswer answer = study_schedule(
      shared_cluster(8, {"placement=\"anywhere\"", "communication=0.5", "checked=1"}), list, listener.hear());
  const Told& told = listener.of("checks by packets");
  ASSERT_EQ(told.done.size(), answer.checks.size());
  EXPECT_EQ(told.total, answer.checks.size());
  for (std::size_t i = 0; i < told.done.size(); ++i) EXPECT_EQ(told.done[i], i);
}

TEST(Progress, OfOtherRulesTellsEachOnce) {
  Listener listener;
  const std::vector<ScheduleChoice> choices =
      compare_schedules(shared_cluster(4), jobs_of({job(0, 8, 10), job(1, 32, 5)}), 2, listener.hear());
  const Told& told = listener.of("other rules");
  ASSERT_EQ(told.done.size(), choices.size());
  EXPECT_EQ(told.total, choices.size());
  for (std::size_t i = 0; i < told.done.size(); ++i) EXPECT_EQ(told.done[i], i + 1);
}

}  // namespace
}  // namespace trainyard
