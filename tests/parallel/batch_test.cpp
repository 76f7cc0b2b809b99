#include "parallel/batch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "trainyard/units.h"

namespace trainyard {
namespace {

double met(double wanted, std::int64_t replicas) {
  return static_cast<double>(replicas * microbatches_each(wanted, replicas));
}

TEST(Batch, TakesAllReplicasWhereTheyDivideIt) {
  EXPECT_EQ(replicas_for_batch(2048, 128), 128);
  EXPECT_EQ(replicas_for_batch(2048, 4096), 2048);  // a replica needs at least one microbatch
  EXPECT_EQ(replicas_for_batch(15360, 576, 8), 512);
}

TEST(Batch, LeavesOutReplicasRatherThanBreakIt) {
  EXPECT_EQ(replicas_for_batch(2048, 142), 128);  // 142 x 14 would be 3% less
  EXPECT_EQ(replicas_for_batch(3, 1024), 3);
}

// 2,003 is prime: one replica would be exact, and 1,000 are near.
TEST(Batch, IsMetNearlyWhereExactnessWouldCostMostReplicas) {
  const std::int64_t replicas = replicas_for_batch(2003, 1024);
  EXPECT_GT(replicas, 900);
  EXPECT_NEAR(met(2003, replicas), 2003, 2003 * kBatchTolerance);
}

TEST(Batch, OfAFractionIsMetAsNearAsCanBe) {
  EXPECT_EQ(replicas_for_batch(0.3, 64), 1);
  EXPECT_EQ(replicas_for_batch(2.4, 64), 2);
}

RC_GTEST_PROP(Batch, NoLargerCountMeetsItExactlyUnlessItIsTakenNearly, ()) {
  const auto wanted = *rc::gen::inRange<std::int64_t>(1, 20000);
  const auto most = *rc::gen::inRange<std::int64_t>(1, 3000);
  const auto real = static_cast<double>(wanted);
  const std::int64_t replicas = replicas_for_batch(real, most);
  RC_ASSERT(replicas >= 1 && replicas <= most);
  RC_ASSERT(std::abs(met(real, replicas) / real - 1) <= kBatchTolerance);
  for (std::int64_t larger = replicas + 1; larger <= most; ++larger) RC_ASSERT(wanted % larger != 0);
}

}  // namespace
}  // namespace trainyard
