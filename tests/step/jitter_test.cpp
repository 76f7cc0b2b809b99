#include "step/jitter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

struct Moments {
  double mean = 0;
  double variation = 0;  // standard deviation over mean
};

Moments moments_of(const Jitter& jitter) {
  constexpr int kDraws = 200000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double factor = jitter.slowest(i);
    sum += factor;
    squares += factor * factor;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean) / mean};
}

TEST(Jitter, HasMeanOneAndTheVariationAskedFor) {
  for (const double variation : {0.05, 0.3}) {
    const Moments m = moments_of({variation, 7, 1});
    EXPECT_NEAR(m.mean, 1, 5 * variation / std::sqrt(2e5));
    EXPECT_NEAR(m.variation / variation, 1, 0.02);
  }
}

// The larger of two normal variables is 1/sqrt(pi) above their mean.
TEST(Jitter, OfAGroupIsItsSlowestDevices) {
  constexpr double kVariation = 0.02;
  const Moments two = moments_of({kVariation, 7, 2});
  EXPECT_NEAR((two.mean - 1) / kVariation, 0.5642, 0.02);
  EXPECT_GT(moments_of({kVariation, 7, 8}).mean, two.mean);
}

TEST(Jitter, DependsOnWhatItIsDrawnForAlone) {
  const Jitter one(0.1, 1, 4);
  EXPECT_EQ(one.slowest(12), Jitter(0.1, 1, 4).slowest(12));
  EXPECT_NE(one.slowest(12), one.slowest(13));
  EXPECT_NE(one.slowest(12), Jitter(0.1, 2, 4).slowest(12));
  EXPECT_EQ(Jitter(0, 1, 4).slowest(12), 1);
}

}  // namespace
}  // namespace trainyard
