// Rates of jobs that share links: by hand, and by the definition of max-min fairness.
#include "schedule/contention.h"

#include <gtest/gtest.h>

#include <random>

#include "schedule_cases.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

using namespace schedule;

constexpr Traffic kRing{JobTraffic::ring, 0.5};
constexpr Traffic kAll{JobTraffic::all_to_all, 0.5};

schedule::Placement whole(const std::vector<std::int32_t>& domains) {
  schedule::Placement out;
  for (const std::int32_t domain : domains) out.push_back({domain, 8});
  return out;
}

class Contended : public ::testing::Test {
 protected:
  const Cluster cluster_ = cluster_of(scheduled_design(shared_cluster(32)), {});  // 16 of 32 devices' rate up
  Contention contention_{cluster_, JobOverlap::together};
};

TEST_F(Contended, JobsBelowOneLeafLoadNothing) {
  EXPECT_FALSE(contention_.add(0, whole({0, 1, 2, 3}), kRing));
  EXPECT_FALSE(contention_.add(1, whole({4}), kAll));
  EXPECT_FALSE(contention_.add(2, whole({0, 4}), {JobTraffic::none, 0.5}));
  EXPECT_FALSE(contention_.add(3, whole({0, 4}), {JobTraffic::ring, 0}));
  EXPECT_TRUE(contention_.empty());
}

TEST_F(Contended, RingsLeaveALeafOnce) {
  // Two rings of 8 devices' rate each fill 16; a third takes a third from all.
  contention_.add(0, whole({0, 1, 4, 5}), kRing);
  contention_.add(1, whole({2, 6}), kRing);
  contention_.solve();
  EXPECT_DOUBLE_EQ(contention_.shares().at(0).rate, 1);
  contention_.add(2, whole({3, 7}), kRing);
  contention_.solve();
  for (const auto& [job, share] : contention_.shares()) {
    EXPECT_DOUBLE_EQ(share.rate, 2.0 / 3);
    EXPECT_DOUBLE_EQ(share.speed, 1 / (0.5 + 0.5 * 1.5));
  }
  contention_.remove(1);
  contention_.solve();
  EXPECT_DOUBLE_EQ(contention_.shares().at(2).speed, 1);
}

TEST_F(Contended, AllToAllsSendTheirShareOut) {
  // Of 4 domains below each of two leaves, 4 of 7 peers are elsewhere: 32 * 4/7 over 16.
  contention_.add(0, whole({0, 1, 2, 3, 4, 5, 6, 7}), kAll);
  contention_.solve();
  EXPECT_NEAR(contention_.shares().at(0).rate, 16 / (32 * 4.0 / 7), 1e-12);
}

TEST_F(Contended, JobsThatTakeTurnsFillLinksWithTheirMeans) {
  Contention turns(cluster_, JobOverlap::apart);
  for (std::size_t job = 0; job < 4; ++job)
    turns.add(job, whole({static_cast<std::int32_t>(job), static_cast<std::int32_t>(4 + job)}), kRing);
  turns.solve();  // 4 rings of 8, half of the time: 16
  for (const auto& [job, share] : turns.shares()) EXPECT_DOUBLE_EQ(share.speed, 1);
  Contention together(cluster_, JobOverlap::together);
  for (std::size_t job = 0; job < 4; ++job)
    together.add(job, whole({static_cast<std::int32_t>(job), static_cast<std::int32_t>(4 + job)}), kRing);
  together.solve();
  for (const auto& [job, share] : together.shares()) EXPECT_DOUBLE_EQ(share.rate, 0.5);
}

TEST_F(Contended, NobodyCanHaveMoreWithoutTakingFromWhoHasLess) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Contention contention(cluster_, JobOverlap::together);
    std::map<std::size_t, std::vector<LinkLoad>> loads;
    for (std::size_t job = 0; job < 12; ++job) {
      std::vector<std::int32_t> domains;
      for (std::int32_t domain = 0; domain < 32; ++domain)
        if (random() % 4 == 0) domains.push_back(domain);
      const Traffic& traffic = random() % 2 == 0 ? kRing : kAll;
      if (contention.add(job, whole(domains), traffic))
        loads[job] = contention.loads(whole(domains), traffic.pattern);
    }
    contention.solve();
    std::vector<double> used(8, 0);
    for (const auto& [job, links] : loads)
      for (const LinkLoad& link : links) used[link.link] += link.load * contention.shares().at(job).rate;
    for (const double sum : used) ASSERT_LE(sum, 16 * (1 + 1e-9));
    for (const auto& [job, links] : loads) {
      const double rate = contention.shares().at(job).rate;
      bool bound = rate >= 1 - 1e-9;
      for (const LinkLoad& link : links) {
        bool most = used[link.link] >= 16 * (1 - 1e-9);
        for (const auto& [other, others] : loads)
          for (const LinkLoad& it : others)
            most = most && (it.link != link.link || contention.shares().at(other).rate <= rate * (1 + 1e-9));
        bound = bound || most;
      }
      ASSERT_TRUE(bound) << "round " << round << ", job " << job;
    }
  }
}

}  // namespace
}  // namespace trainyard
