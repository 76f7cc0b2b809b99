// Parts of the closed form of months, each beside a sum in small steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "cases.h"
#include "goodput/gone_counts.h"
#include "goodput/goodput_parts.h"
#include "goodput/kept_stretches.h"
#include "goodput/up_times.h"

namespace trainyard {
namespace {

using Course = std::function<double(double)>;

/// By midpoints.
double integral(const Course& of, double from, double to, int parts = 200000) {
  const double width = (to - from) / parts;
  double out = 0;
  for (int i = 0; i < parts; ++i) out += of(from + (i + 0.5) * width) * width;
  return out;
}

TEST(Hazard, IsTheBathtubOverEveryTime) {
  for (const double factor : {0.0, 3.0})
    for (const double wear_days : {0.0, 400.0})
      for (const double age_days : {0.0, 30.0, 900.0}) {
        GoodputCase c = usual();
        c.infant_factor = factor;
        c.infant_time = Seconds(60 * kDay_s);
        c.age = Seconds(age_days * kDay_s);
        if (wear_days > 0) c.wear_time = Seconds(wear_days * kDay_s);
        const auto bathtub = [&](double since_s) {
          const double days = age_days + since_s / kDay_s;
          return 1 + factor * std::exp(-days / 60) + (wear_days > 0 ? std::pow(days / wear_days, 3) : 0);
        };
        EXPECT_EQ(hazard_varies(c), factor > 0 || wear_days > 0);
        const double period_s = c.period.si();
        for (const auto& [from, to] : {std::pair{0.0, 0.1}, {0.0, 1.0}, {0.3, 0.7}, {0.9, 1.0}}) {
          const double from_s = from * period_s;
          const double to_s = to * period_s;
          const double mean = integral(bathtub, from_s, to_s, 2000) / (to_s - from_s);
          EXPECT_NEAR(mean_hazard(c, from_s, to_s) / mean, 1, 1e-6);
          double most = 0;
          for (int i = 0; i <= 100; ++i) most = std::max(most, bathtub(from_s + (to_s - from_s) * i / 100));
          EXPECT_GE(most_hazard(c, from_s, to_s), most * (1 - 1e-12));
          // Where it only falls or only rises, no more than that.
          if (factor == 0 || wear_days == 0) {
            EXPECT_NEAR(most_hazard(c, from_s, to_s), most, 1e-9);
          }
          EXPECT_NEAR(hazard_at(c, from_s), bathtub(from_s), 1e-12 * bathtub(from_s));
        }
        EXPECT_EQ(most_hazard(c), most_hazard(c, 0, period_s));
        const double worn = integral([&](double s) { return worn_hazard_at(c, s); }, 0, period_s, 2000);
        EXPECT_NEAR(worn_hazard(c), worn / period_s, 1e-6 * worn_hazard(c));
      }
}

/// Nothing is down for as long as each recovery takes if nothing began within that time.
TEST(UpTimes, AreThoseWithoutARecoveryUnderWay) {
  const std::vector<Recovery> recoveries = {{0.02, 10}, {0.05, 3}, {0.01, 40}, {0.03, 10}};
  const UpTimes up(recoveries);
  const auto chance = [&](double time_s) {
    double mean = 0;
    for (const Recovery& r : recoveries) mean += r.rate_per_s * std::min(r.lasts_s, time_s);
    return std::exp(-mean);
  };
  for (const double time_s : {0.0, 1.0, 3.0, 5.0, 10.0, 25.0, 40.0, 100.0}) {
    EXPECT_NEAR(up.chance_at(time_s), chance(time_s), 1e-12) << time_s;
    EXPECT_NEAR(up.time_by(time_s), integral(chance, 0, time_s, 20000), 1e-6 * (1 + time_s)) << time_s;
  }
  EXPECT_EQ(UpTimes({}).chance_at(7), 1);
  EXPECT_EQ(UpTimes({}).time_by(7), 7);
}

/// A stretch lasts an exponential time: what is kept of it if it ends by a stop or by a pause.
TEST(KeptStretches, KeepWhatWasSafeOrAll) {
  const KeptStretches cases[] = {{.stops_per_s = 0.01, .interval_s = 50, .stall_s = 5, .safe_after_s = 20},
                                 {.stops_per_s = 0.004, .pauses_per_s = 0.01, .interval_s = 50, .stall_s = 0},
                                 {.pauses_per_s = 0.02, .interval_s = 10, .stall_s = 5, .safe_after_s = 10},
                                 {.stops_per_s = 0.1, .pauses_per_s = 0.02, .interval_s = 30, .stall_s = 3}};
  for (const KeptStretches& s : cases) {
    const double all = s.stops_per_s + s.pauses_per_s;
    const auto kept = [&](double lasts_s) {
      const double cycle = s.interval_s + s.stall_s;
      const double cycles = std::floor(lasts_s / cycle);
      const double trained = cycles * s.interval_s + std::min(lasts_s - cycles * cycle, s.interval_s);
      // Each checkpoint ends with its stall, and is safe only so much later.
      const double safe = std::max(0.0, std::floor((lasts_s - s.safe_after_s) / cycle)) * s.interval_s;
      return (s.stops_per_s * safe + s.pauses_per_s * trained) * std::exp(-all * lasts_s);
    };
    EXPECT_NEAR(kept_share(s) / (all * integral(kept, 0, 40 / all)), 1, 1e-3) << s.stops_per_s;
  }
  EXPECT_NEAR(kept_share({.interval_s = 50, .stall_s = 5}), 50.0 / 55, 1e-15);
}

/// Right results until something goes wrong, wrong ones until it is found, step by step.
TEST(WrongResults, AreAChainOfTwoStates) {
  for (const WrongResults& wrong : {WrongResults{0.01, 30}, {0.2, 5}, {0.001, 0.5}}) {
    double right = 1;
    double right_s = 0;
    double found = 0;
    constexpr double kStep_s = 1e-3;
    for (int step = 1; step <= 100000; ++step) {
      const double wrong_now = 1 - right;
      right_s += right * kStep_s;
      found += wrong_now / wrong.found_after_s * kStep_s;
      right += (wrong_now / wrong.found_after_s - right * wrong.rate_per_s) * kStep_s;
      if (step % 20000 != 0) continue;
      const double time_s = step * kStep_s;
      EXPECT_NEAR(wrong.kept_share_by(time_s), right_s / time_s, 1e-3);
      const double ever = time_s * wrong.rate_per_s * wrong.kept_share();
      EXPECT_NEAR(wrong.found_share_by(time_s), found / ever, 1e-2);
    }
    EXPECT_NEAR(wrong.kept_share_by(1e9), wrong.kept_share(), 1e-6);
  }
}

/// Counts of failures that take so many servers each, one by one.
TEST(GoneCounts, AreSumsOfIndependentCounts) {
  std::mt19937 random(4);
  for (const auto& [mean, size] : {std::pair{0.7, 1}, {2.5, 3}, {40.0, 1}, {6.0, 8}, {0.0, 2}}) {
    constexpr std::int64_t kLast = 60;
    Chances before(kLast + 1);
    for (double& chance : before) chance = static_cast<double>(random() % 1000);
    const double all = std::accumulate(before.begin(), before.end(), 0.0);
    for (double& chance : before) chance /= all;
    Chances expected(kLast + 1, 0);
    double chance = std::exp(-mean);
    for (std::int64_t failures = 0; failures * size <= kLast; ++failures) {
      for (std::int64_t n = 0; n + failures * size <= kLast; ++n)
        expected[static_cast<std::size_t>(n + failures * size)] +=
            before[static_cast<std::size_t>(n)] * chance;
      chance *= mean / static_cast<double>(failures + 1);
    }
    const Chances after = with_failures(before, mean, size);
    ASSERT_EQ(after.size(), expected.size());
    for (std::size_t n = 0; n < after.size(); ++n)
      EXPECT_NEAR(after[n], expected[n], 1e-12) << mean << ' ' << n;
    // Of failures alone, and of none.
    const Chances alone = with_failures(none_gone(kLast), mean, size);
    for (std::size_t n = 0; n < alone.size(); ++n)
      if (n % static_cast<std::size_t>(size) != 0) {
        EXPECT_EQ(alone[n], 0);
      }
    EXPECT_NEAR(alone[0], std::exp(-mean), 1e-15);
  }
  // Repairs of several servers each: none is lost before the last count.
  const Chances repairs = {0.5, 0.2, 0.2, 0.1};
  EXPECT_EQ(servers_of(repairs, 1), repairs);
  const Chances twice = servers_of({0.5, 0.2, 0.2, 0.1, 0, 0, 0}, 2);
  EXPECT_EQ(twice, (Chances{0.5, 0, 0.2, 0, 0.2, 0, 0.1}));
  EXPECT_EQ(servers_of(repairs, 1.5), (Chances{0.5, 0, 0.2, 0.2}));  // the fourth has no place
}

/// Of servers that nobody repairs within the period: spares last until so many failures have taken them.
TEST(Serving, LacksServersAsOftenAsPoissonSays) {
  struct Drawn {
    double failures;
    int size;
  };
  for (const Drawn& drawn : {Drawn{200.0, 1}, {500.0, 5}, {100.0, 12}})
    for (const double deviations : {-1.0, 0.0, 1.0, 2.0, 4.0}) {
      const double failures = drawn.failures;
      const int size = drawn.size;
      GoodputCase c = usual();
      c.modes = {stopping(failures / (c.period.si() / kDay_s), size, 1e9)};
      c.hosts = 1 << 20;
      c.least_replicas = c.replicas;
      c.detection = c.hang_detection = c.restart = c.stall = c.write = Seconds(0);
      c.spares = static_cast<std::int64_t>(size * (failures + deviations * std::sqrt(failures)));
      const auto most = static_cast<int>(c.spares / size);  // failures that spares are enough for
      const auto lacks = [&](double share) {
        const double mean = failures * share;
        double out = 0;
        for (int n = most + 1; n < most + 400; ++n)
          out += std::exp(n * std::log(mean) - mean - std::lgamma(n + 1.0));
        return out;
      };
      const double expected = integral(lacks, 0, 1, 400);
      // The closed form looks at the middle of 32 parts, of which the last is a sixteenth of the period.
      const double within = deviations > 2 ? 10 : deviations > 1 ? 2.5 : deviations > 0 ? 1.5 : 1.2;
      const double seen = 1 - goodput_form(c).served_share;
      EXPECT_GT(seen, expected / within) << failures << " failures of " << size << ", " << deviations;
      EXPECT_LT(seen, expected * within) << failures << " failures of " << size << ", " << deviations;
    }
}

}  // namespace
}  // namespace trainyard
