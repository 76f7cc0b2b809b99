// The error bar of exposed communication, from that of its step.
#include <gtest/gtest.h>

#include <cmath>

#include "trainyard/exposed_errors.h"

namespace trainyard {
namespace {

constexpr double kRatio = 3;  // docs/models.md, "The error bar of exposed communication"

Interval within(double half) { return {std::exp(-half), std::exp(half), "runs"}; }

TEST(ExposedInterval, AddsUpToThatOfTheStep) {
  for (const double share : {0.01, 0.1, 0.4, 0.9}) {
    const double transfers = std::log(exposed_interval(within(0.08), share).time.high);
    const double rest = transfers / kRatio;
    EXPECT_NEAR(std::hypot(share * transfers, (1 - share) * rest), 0.08, 1e-12) << share;
  }
}

TEST(ExposedInterval, OfASmallShareIsThreeTimesAsWide) {
  const ExposedInterval small = exposed_interval(within(0.05), 1e-9);
  EXPECT_NEAR(std::log(small.time.high), 3 * 0.05, 1e-8);
  EXPECT_NEAR(std::log(small.time.low), -3 * 0.05, 1e-8);
}

TEST(ExposedInterval, OfAStepThatOnlySendsIsTheSteps) {
  EXPECT_NEAR(std::log(exposed_interval(within(0.05), 1).time.high), 0.05, 1e-12);
  EXPECT_DOUBLE_EQ(exposed_interval(within(0.05), 1).share_high, 1);
}

TEST(ExposedInterval, KeepsSharesBetweenNothingAndAll) {
  for (const double share : {1e-6, 0.2, 0.5, 0.999}) {
    const ExposedInterval e = exposed_interval(within(1), share);
    EXPECT_GT(e.share_low, 0);
    EXPECT_LT(e.share_low, share);
    EXPECT_GT(e.share_high, share);
    EXPECT_LT(e.share_high, 1);
  }
}

TEST(ExposedInterval, IsNoneWithoutOneOfTheStepOrWithoutTransfers) {
  const ExposedInterval ideal = exposed_interval({}, 0.3);
  EXPECT_EQ(ideal.time.high, 1);
  EXPECT_EQ(ideal.share_low, 0.3);
  EXPECT_EQ(exposed_interval(within(0.1), 0).share_high, 0);
}

}  // namespace
}  // namespace trainyard
