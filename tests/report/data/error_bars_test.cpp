#include "report/data/error_bars.h"

#include <gtest/gtest.h>

#include "trainyard/plan.h"

namespace trainyard {
namespace {

Plan plan(double step_s, double high, const char* basis) {
  Plan out;
  out.step.step = Seconds(step_s);
  out.step.step_interval = {1 / high, high, basis};
  return out;
}

TEST(ErrorBars, OfTwoCalibrationsAreIndependent) {
  const SearchMeasure& time = *find_measure("step_time");
  const Plan best = plan(10, 1.1, "one");
  // Both intervals together reach 1.1^sqrt(2) = 1.144.
  EXPECT_EQ(order_of(time, plan(11.4, 1.1, "other"), best), Order::unsure);
  EXPECT_EQ(order_of(time, plan(11.5, 1.1, "other"), best), Order::sure);
  EXPECT_EQ(order_of(time, plan(11.5, 1.1, "one"), best), Order::shared_error);
}

TEST(ErrorBars, SayNothingOfWhatHasNone) {
  const Plan best = plan(10, 1.1, "one");
  EXPECT_EQ(order_of(*find_measure("step_time"), plan(11, 1, "ideal"), best), Order::unknown);
  EXPECT_EQ(order_of(*find_measure("memory"), plan(11, 1.1, "other"), best), Order::unknown);
  EXPECT_TRUE(order_sentence(Order::unknown).empty());
  EXPECT_FALSE(order_sentence(Order::unsure).empty());
}

}  // namespace
}  // namespace trainyard
