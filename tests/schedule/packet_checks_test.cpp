// Rates of jobs by flows and by packets.
#include "schedule/packet_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "schedule_cases.h"
#include "trainyard/network_design.h"

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

using namespace schedule;

/// Of jobs that stand as they are told, at one moment after another.
std::vector<ScheduleCheck> checks_of(int domains, const std::vector<std::vector<CrossingJob>>& moments) {
  const Scenario scenario = shared_cluster(domains, {"communication=0.5"});
  const Cluster cluster = cluster_of(scheduled_design(scenario), scenario.schedule.value_or(ScheduleInput{}));
  std::vector<Snapshot> snapshots;
  for (const auto& jobs : moments)
    snapshots.push_back({3600.0 * static_cast<double>(snapshots.size() + 1),
                         std::make_shared<const std::vector<CrossingJob>>(jobs)});
  return check_by_packets(scenario, cluster, snapshots);
}

TEST(PacketChecks, JobsThatShareNothingRunAtFullRate) {
  const CrossingJob full{{{0, 8}, {1, 8}}, JobTraffic::ring, 1};
  const std::vector<ScheduleCheck> checks = checks_of(8, {{full}});
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].jobs, 1);
  EXPECT_EQ(checks[0].rate_by_flows, 1);
  EXPECT_NEAR(checks[0].rate_by_packets, 1, 0.05);
  EXPECT_LT(std::abs(checks[0].worst_difference), 0.05);
}

/// A job that flows are told to slow down to a half, and that packets do not: the means are over both, the
/// difference is that job's.
TEST(PacketChecks, RatesAreMeansAndTheDifferenceIsTheWorstJobs) {
  const CrossingJob full{{{0, 8}, {1, 8}}, JobTraffic::ring, 1};
  const CrossingJob half{{{2, 8}, {3, 8}}, JobTraffic::ring, 0.5};
  for (const auto& jobs : {std::vector{full, half}, std::vector{half, full}}) {
    const ScheduleCheck check = checks_of(8, {jobs}).at(0);
    EXPECT_EQ(check.jobs, 2);
    EXPECT_DOUBLE_EQ(check.rate_by_flows, 0.75);
    EXPECT_NEAR(check.rate_by_packets, 1, 0.1);  // of half the bytes more is delay
    EXPECT_NEAR(check.worst_difference, 1, 0.3);
  }
}

/// Ranks that several of its domains have send to the next one of theirs, or to all others up to 63.
TEST(PacketChecks, ConnectionsAreThoseOfThePattern) {
  const auto connections = [](int domains, const std::vector<CrossingJob>& jobs) {
    return checks_of(domains, {jobs}).at(0).connections;
  };
  const schedule::Placement uneven = {{0, 8}, {1, 8}, {2, 5}};
  EXPECT_EQ(connections(8, {{uneven, JobTraffic::ring, 1}}), 5 * 3 + 3 * 2);
  EXPECT_EQ(connections(8, {{uneven, JobTraffic::all_to_all, 1}}), 5 * 3 * 2 + 3 * 2);
  EXPECT_EQ(connections(8, {{{{0, 8}, {1, 1}}, JobTraffic::ring, 1}}), 2);  // others have nobody to send to
  schedule::Placement wide;
  for (std::int32_t domain = 0; domain < 66; ++domain) wide.push_back({domain, 1});
  EXPECT_EQ(connections(66, {{wide, JobTraffic::all_to_all, 1}}), 66 * 63);
}

TEST(PacketChecks, EqualMomentsHaveEqualRates) {
  const CrossingJob one{{{0, 8}, {1, 8}}, JobTraffic::ring, 1};
  const CrossingJob fewer{{{0, 8}, {1, 4}}, JobTraffic::ring, 1};
  const CrossingJob elsewhere{{{0, 8}, {2, 4}}, JobTraffic::ring, 0.5};
  const std::vector<ScheduleCheck> checks = checks_of(8, {{one}, {one}, {fewer}, {elsewhere}, {one}});
  ASSERT_EQ(checks.size(), 5U);
  const std::int64_t connections[] = {16, 16, 8, 8, 16};
  const double rates[] = {1, 1, 1, 0.5, 1};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    EXPECT_EQ(checks[i].time.si(), 3600.0 * static_cast<double>(i + 1));
    EXPECT_EQ(checks[i].connections, connections[i]);
    EXPECT_EQ(checks[i].rate_by_flows, rates[i]);
  }
  EXPECT_EQ(checks[0].rate_by_packets, checks[4].rate_by_packets);
}

}  // namespace
}  // namespace trainyard
