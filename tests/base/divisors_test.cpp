#include "base/divisors.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace trainyard {
namespace {

TEST(Divisors, AreThoseThatLeaveNothing) {
  for (std::int64_t n = 1; n <= 200; ++n) {
    std::vector<std::int64_t> expected;
    for (std::int64_t d = 1; d <= n; ++d)
      if (n % d == 0) expected.push_back(d);
    EXPECT_EQ(divisors(n), expected) << n;
  }
}

TEST(Divisors, AreListedWhereTheListIsShort) {
  EXPECT_EQ(divisors_text(1), "1");
  EXPECT_EQ(divisors_text(72), "1, 2, 3, 4, 6, 8, 9, 12, 18, 24, 36, 72");
  const std::string many = divisors_text(std::int64_t{735134400});  // 1,344 of them
  EXPECT_LT(many.size(), 200U);
  EXPECT_EQ(many.substr(many.size() - 5), ", ...");
}

}  // namespace
}  // namespace trainyard
