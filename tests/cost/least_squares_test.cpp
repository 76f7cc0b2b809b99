#include "cost/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

/// A line through points, one of which lies far aside.
void line_residuals(const std::vector<double>& p, std::vector<double>& out) {
  out.clear();
  for (int x = 0; x < 20; ++x) {
    const double y = x == 7 ? 100 : 3 + 2 * x;
    out.push_back((p[0] + p[1] * x - y) / 0.1);
  }
}

TEST(LeastSquares, FindsALineDespiteAnOutlier) {
  const LeastSquaresResult found = least_squares(line_residuals, {0, 0}, {200, 1e-12});
  EXPECT_NEAR(found.parameters[0], 3, 0.1);
  EXPECT_NEAR(found.parameters[1], 2, 0.01);
}

TEST(LeastSquares, LeavesAParameterThatChangesNothing) {
  const auto residuals = [](const std::vector<double>& p, std::vector<double>& out) {
    out = {p[0] - 5, 2 * (p[0] - 5)};
  };
  const LeastSquaresResult found = least_squares(residuals, {1, 17}, {100, 1e-12});
  EXPECT_NEAR(found.parameters[0], 5, 1e-4);
  EXPECT_EQ(found.parameters[1], 17);
}

}  // namespace
}  // namespace trainyard
