// What the errors of whole steps say of exposed communication.
#include "trainyard/exposed_errors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trainyard/catalog.h"
#include "trainyard/plan.h"
#include "trainyard/validation.h"

namespace trainyard {
namespace {

/// A run whose transfers are this share of a step of 1 s, and whose step was so much shorter (in logarithms).
ValidatedRun run_of(double share, double error) {
  ValidatedRun out;
  out.plan = Seconds(1);
  out.measured_step = Seconds(std::exp(-error));
  out.run.value = 1;
  out.vote = 1;
  out.interval = {std::exp(-0.1), std::exp(0.1), ""};
  out.effects = {{"compute", Seconds(1 - share), {}, false}, {"tensor", Seconds(share), {}, true}};
  return out;
}

TEST(ExposedErrors, FindsTheRatioThatErrorsWereMadeWith) {
  constexpr double kRatio = 4;
  Validation validation;
  for (int i = 0; i < 400; ++i) {
    const double share = 0.02 * (i % 20);
    const double quantile = (i / 20 + 0.5) / 20;  // of Laplace's distribution, by its absolute value
    const double size = -std::log(1 - quantile) * 0.05;
    validation.runs.push_back(run_of(share, size * std::hypot(1 - share, kRatio * share)));
  }
  const auto found = exposed_errors(validation);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->ratio, kRatio, 0.3);
  EXPECT_LT(found->low, kRatio);
  EXPECT_GT(found->high, kRatio);
}

TEST(ExposedErrors, SaysNothingOfFewRuns) {
  Validation validation;
  for (int i = 0; i < 59; ++i) validation.runs.push_back(run_of(0.1, 0.01 * i));
  EXPECT_FALSE(exposed_errors(validation));
}

/// The ratio that the program answers with, on published runs that no fit has seen.
TEST(ExposedErrors, OfRunsThatNoFitHasSeenAreThreeTimesAsWide) {
  const auto catalog = shipped_catalog();
  const auto found = exposed_errors(validate_runs(held_out_runs(*catalog), *catalog));
  ASSERT_TRUE(found);
  EXPECT_LT(found->low, 3);
  EXPECT_GT(found->high, 3);
  EXPECT_GT(found->ratio, 1.5);  // wider than the rest's
}

}  // namespace
}  // namespace trainyard
