#include "cost/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

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

double soft_l1(const std::vector<double>& residuals) {
  double out = 0;
  for (const double r : residuals) out += 2 * (std::sqrt(1 + r * r) - 1);
  return out;
}

/// Decays with noise and outliers: what is found is the bottom, and its loss is told.
TEST(LeastSquares, EndsWhereNoStepIsBetter) {
  std::mt19937 random(2);
  std::normal_distribution<double> noise(0, 0.02);
  for (int i = 0; i < 20; ++i) {
    const double height = 1 + 0.2 * i;
    const double rate = 0.3 + 0.05 * i;
    std::vector<double> seen;
    for (int x = 0; x < 30; ++x) {
      const double far = random() % 9 == 0 ? 5 : 0;
      seen.push_back(height * std::exp(-rate * x / 5) + 0.5 + noise(random) + far);
    }
    const auto residuals = [&](const std::vector<double>& p, std::vector<double>& out) {
      out.clear();
      for (int x = 0; x < 30; ++x)
        out.push_back((p[0] * std::exp(-p[1] * x / 5) + p[2] - seen[static_cast<std::size_t>(x)]) / 0.05);
    };
    std::vector<double> out;
    const auto loss_at = [&](const std::vector<double>& p) {
      residuals(p, out);
      return soft_l1(out);
    };
    const std::vector<double> start = {1, 0.5, 0};
    const LeastSquaresResult found = least_squares(residuals, start, {400, 1e-14});
    EXPECT_NEAR(found.loss / loss_at(found.parameters), 1, 1e-9);
    for (std::size_t k = 0; k < start.size(); ++k)
      for (const double by : {-1e-2, -1e-3, 1e-3, 1e-2}) {
        std::vector<double> aside = found.parameters;
        aside[k] += by;
        EXPECT_GE(loss_at(aside), found.loss * (1 - 1e-6)) << i << ": " << k << " by " << by;
      }
    // Steps go down, as many as are allowed, and a coarser end is no lower.
    double before = loss_at(start);
    for (const int steps : {0, 1, 2, 4, 8, 16}) {
      const LeastSquaresResult fewer = least_squares(residuals, start, {steps, 1e-14});
      EXPECT_LE(fewer.loss, before);
      if (steps == 0) {
        EXPECT_EQ(fewer.parameters, start);
      }
      if (steps == 1) {
        EXPECT_LT(fewer.loss, before);
      }
      before = fewer.loss;
    }
    EXPECT_GE(least_squares(residuals, start, {400, 0.5}).loss, found.loss);
    // From the bottom it does not go away.
    const LeastSquaresResult again = least_squares(residuals, found.parameters, {400, 1e-14});
    EXPECT_NEAR(again.loss / found.loss, 1, 1e-6);
  }
}

}  // namespace
}  // namespace trainyard
