// The queue for repair crews beside distributions that are known.
#include "goodput/crew_queue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace trainyard {
namespace {

constexpr std::int64_t kMost = 12000;
constexpr std::int64_t kAll = 1000000;

double poisson(double mean, std::size_t n) {
  const auto count = static_cast<double>(n);
  return std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
}

/// After a unit of time, to which it comes in so many parts that are longer and longer.
std::vector<double> repairs_after(const CrewWork& work, int parts) {
  CrewQueue queue(work, kMost, 1);
  for (int i = 1; i <= parts; ++i)
    queue.advance_to(std::pow(static_cast<double>(i) / parts, 2), work.rate_per_s);
  return queue.repairs();
}

void expect_poisson(const std::vector<double>& repairs, double mean) {
  double off = 0;
  for (std::size_t n = 0; n < repairs.size(); ++n) off += std::abs(repairs[n] - poisson(mean, n));
  EXPECT_LT(off, 1e-4) << mean;
  EXPECT_NEAR(std::accumulate(repairs.begin(), repairs.end(), 0.0), 1, 1e-9) << mean;
}

TEST(CrewQueue, CountsFailuresOfWhichNoneIsRepaired) {
  for (const double failures : {3.0, 100.0, 1000.0, 10000.0})
    for (const int parts : {1, 32})
      expect_poisson(repairs_after({.rate_per_s = failures, .repair_s = 1e12, .crews = 1}, parts), failures);
}

TEST(CrewQueue, IsPoissonWhereAllAreRepairedAtOnce) {
  for (const double failures : {3.0, 1000.0, 10000.0})
    for (const double repair_s : {0.01, 0.1, 1.0})
      expect_poisson(repairs_after({.rate_per_s = failures, .repair_s = repair_s, .crews = kAll}, 32),
                     failures * repair_s * -std::expm1(-1 / repair_s));
}

/// Failures less repairs of crews that never rest: both are Poisson counts.
TEST(CrewQueue, GrowsByWhatCrewsDoNotKeepUpWith) {
  const std::vector<double> repairs = repairs_after({.rate_per_s = 8000, .repair_s = 0.001, .crews = 3}, 32);
  double mean = 0;
  double square = 0;
  for (std::size_t n = 0; n < repairs.size(); ++n) {
    mean += static_cast<double>(n) * repairs[n];
    square += static_cast<double>(n * n) * repairs[n];
  }
  EXPECT_NEAR(mean, 5000, 2);  // some repairs are missing where it begins with none to do
  EXPECT_NEAR(square - mean * mean, 11000, 20);
}

}  // namespace
}  // namespace trainyard
