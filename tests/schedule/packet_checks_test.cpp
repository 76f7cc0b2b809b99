// Rates of jobs by flows and by packets.
#include <gtest/gtest.h>

#include <cmath>

#include "schedule_cases.h"

namespace trainyard {
namespace {

TEST(PacketChecks, PacketsShareLinksAsFlowsSay) {
  // Four rings over two leaves, for three hours; every hour is checked.
  const JobList list = jobs_of({job(0, 16, 9000), job(0, 16, 9000), job(0, 16, 9000), job(0, 16, 9000)});
  const ScheduleAnswer answer = study_schedule(
      shared_cluster(8, {"placement=\"anywhere\"", "communication=0.5", "checked=1", "seed=3"}), list);
  ASSERT_GE(answer.checks.size(), 2U);
  for (const ScheduleCheck& check : answer.checks) {
    EXPECT_GT(check.connections, 0);
    EXPECT_LT(std::abs(check.worst_difference), 0.15)
        << check.jobs << " jobs, " << check.connections << " connections, " << check.rate_by_flows
        << " by flows, " << check.rate_by_packets << " by packets";
  }
  // Half of the hours, half of the checks.
  const ScheduleAnswer half = study_schedule(
      shared_cluster(8, {"placement=\"anywhere\"", "communication=0.5", "checked=0.5", "seed=3"}), list);
  EXPECT_EQ(half.checks.size(), answer.checks.size() / 2);
}

}  // namespace
}  // namespace trainyard
