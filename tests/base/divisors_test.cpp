#include "base/divisors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

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

/// A list ends at the first divisor that begins beyond 160 characters: of what is told before, the last
/// divisor began below.
TEST(Divisors, OfALongListAreAsManyAsBeginWithin160Characters) {
  std::size_t cut = 0, at_the_end = 0;
  for (std::int64_t n = 5040; n <= 5040 * 4000; n += 5040) {
    std::string whole;
    std::string expected;
    for (const std::int64_t d : divisors(n)) {
      if (expected.empty() && whole.size() > 160) expected = whole + ", ...";
      whole += (whole.empty() ? "" : ", ") + std::to_string(d);
    }
    cut += expected.empty() ? 0 : 1;
    at_the_end += expected.size() == 161 + 5 ? 1 : 0;
    ASSERT_EQ(divisors_text(n), expected.empty() ? whole : expected) << n;
  }
  EXPECT_GT(cut, 100U);
  EXPECT_GT(at_the_end, 3U);
}

}  // namespace
}  // namespace trainyard
