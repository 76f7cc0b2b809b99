// The queue for repair crews beside distributions that are known.
#include "goodput/crew_queue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
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

/// Of more crews than ever have work, those that rest are nothing to follow: it took half a second each.
TEST(CrewQueue, RestingCrewsCostNothing) {
  const CrewWork work{.rate_per_s = 1, .repair_s = 1, .crews = kAll};
  const std::clock_t began = std::clock();
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> quiet = settled_repairs(work, 0, 3);
    EXPECT_NEAR(quiet.front(), poisson(std::exp(-3.0), 0), 1e-6);
  }
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 5);
}

/// After years in which nothing fails, whatever was to be done is done: it was followed repair by repair.
TEST(CrewQueue, LongQuietLeavesNothingToDo) {
  CrewQueue queue({.rate_per_s = 1000, .repair_s = 0.01, .crews = 3}, 4, 100);
  queue.advance_to(100, 1000);
  const std::clock_t began = std::clock();
  EXPECT_NEAR(queue.repairs_after_quiet(1e6).front(), 1, 1e-9);
  EXPECT_NEAR(queue.repairs_after_quiet(1).front(), 0, 1e-4);
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 5);
}

}  // namespace
}  // namespace trainyard
