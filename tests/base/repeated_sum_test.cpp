#include "base/repeated_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace trainyard {
namespace {

double one_by_one(double sum, double value, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) sum += value;
  return sum;
}

/// A number of any magnitude whose last places matter.
double number() {
  const double digits = static_cast<double>(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53));
  return std::ldexp(digits, *rc::gen::inRange(-70, 10));
}

RC_GTEST_PROP(RepeatedSum, IsThatOfALoopToTheLastBit, ()) {
  const double sum = *rc::gen::inRange(0, 4) == 0 ? 0 : number();
  const double value = number();
  const auto times = *rc::gen::inRange<std::int64_t>(0, 20'000);
  RC_ASSERT(with_repeated(sum, value, times) == one_by_one(sum, value, times));
}

RC_GTEST_PROP(RepeatedSum, SettlesTiesAsALoopDoes, ()) {
  // Whole numbers and halves of the last place of 2^52: every addition is a tie.
  const double sum = 0x1p52 + static_cast<double>(*rc::gen::inRange(0, 1000));
  const double value = static_cast<double>(*rc::gen::inRange(0, 1000)) + 0.5;
  const auto times = *rc::gen::inRange<std::int64_t>(0, 3000);
  RC_ASSERT(with_repeated(sum, value, times) == one_by_one(sum, value, times));
}

TEST(RepeatedSum, EndsWhereALoopNoLongerGrowsOrIsEndless) {
  EXPECT_EQ(with_repeated(1e30, 1, 1'000'000'000'000), 1e30);
  EXPECT_EQ(with_repeated(7, 0, 1'000'000'000'000), 7);
  EXPECT_EQ(with_repeated(0, 1e308, 1'000'000'000'000), std::numeric_limits<double>::infinity());
  EXPECT_EQ(with_repeated(0, 1, 1'000'000'000'000), 1e12);
}

TEST(RepeatedSum, RemembersSums) {
  RepeatedSums sums(0.1);
  for (int again = 0; again < 2; ++again) {
    for (std::int64_t times = 0; times < 2000; ++times)
      ASSERT_EQ(sums.with(0.3, times), one_by_one(0.3, 0.1, times));
  }
}

}  // namespace
}  // namespace trainyard
