// Months of failures: closed form against simulation, conservation, determinism, what more failures do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>

#include "base/mixing.h"
#include "cases.h"
#include "goodput/gone_counts.h"
#include "goodput/goodput_parts.h"
#include "goodput/spread_of_runs.h"
#include "trainyard/errors.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

/// A case of any kind, the same for a number.
GoodputCase drawn(std::uint64_t number) {
  std::uint64_t at = 0;
  const auto up_to = [&](double most) {
    return most * static_cast<double>(below(mixed(number, ++at), 1000)) / 1000;
  };
  GoodputCase c = usual();
  c.seed = static_cast<std::int64_t>(number);
  c.modes = {stopping(up_to(20), 1, 1 + up_to(50)),
             stopping(up_to(2), 16, 1 + up_to(10)),
             slowing(up_to(3), up_to(1), 1 + up_to(9)),
             of_cause(FailureCause::silent, up_to(1), 0.1 + up_to(5)),
             of_cause(FailureCause::straggler, up_to(2), up_to(3), up_to(0.5)),
             of_cause(FailureCause::planned, up_to(2), 0)};
  for (FailureMode& mode : c.modes) {
    mode.ages = up_to(1) < 0.5;
    mode.keeps = up_to(1) < 0.7;
    mode.by_crew = up_to(1) < 0.5;
  }
  c.outlives_all = up_to(1) < 0.5;
  for (FailureMode& mode : c.modes) mode.keeps |= c.outlives_all;
  c.backup_every = 1 + static_cast<std::int64_t>(up_to(20));
  c.hang_share = up_to(1);
  c.manual_share = up_to(1);
  c.manual_time = Seconds(up_to(5000));
  c.swap = Seconds(up_to(1000));
  c.spares = static_cast<std::int64_t>(up_to(40));
  c.crews = static_cast<std::int64_t>(up_to(30));
  c.stall = Seconds(up_to(100));
  c.write = c.stall + Seconds(up_to(300));
  c.infant_factor = up_to(5);
  c.infant_time = Seconds((1 + up_to(60)) * kDay_s);
  if (up_to(1) < 0.5) c.wear_time = Seconds((100 + up_to(1000)) * kDay_s);
  c.age = Seconds(up_to(500) * kDay_s);
  c.runs = 20;
  return c;
}

void expect_form_meets_runs(const GoodputCase& c, double edge = 0.0005) {
  const GoodputForm form = goodput_form(c);
  const MonthsResult months = simulate_months(c, form.interval, 1);
  EXPECT_NEAR(form.ettr, months.ettr.mean, 4 * months.ettr.standard_error + edge);
  EXPECT_GT(form.ettr, months.ettr.low - edge);
  EXPECT_LT(form.ettr, months.ettr.high + edge);
  EXPECT_NEAR(form.interruptions_per_s * c.period.si(), months.interruptions.mean,
              4 * months.interruptions.standard_error + 1e-9);
}

TEST(Months, WithoutFailuresOnlyCheckpointsCost) {
  GoodputCase c = usual();
  c.modes.clear();
  c.interval = Seconds(970);
  const MonthsResult months = simulate_months(c, *c.interval, 1);
  EXPECT_NEAR(months.ettr.mean, 0.97, 1e-4);
  EXPECT_DOUBLE_EQ(goodput_form(c).ettr, 0.97);
}

TEST(Months, ClosedFormIsDalysForOneKindOfFailure) {
  GoodputCase c = usual();
  c.interval = Seconds(1500);
  const double m = kDay_s / 8;
  // Daly 2006, equation 20: the time of a unit of work is M exp(R/M) (exp((tau + w)/M) - 1) / tau.
  const double time = m * std::exp(360 / m) * (std::exp((1500 + 30.0) / m) - 1) / 1500;
  EXPECT_NEAR(goodput_form(c).long_run_ettr, 1 / time, 1e-12);
}

TEST(Months, ClosedFormMeetsRunsForEachKindOfEvent) {
  expect_form_meets_runs(usual());
  GoodputCase hangs = usual();
  hangs.hang_share = 0.3;
  hangs.manual_share = 0.1;
  hangs.manual_time = Seconds(2 * kHour_s);
  expect_form_meets_runs(hangs);
  GoodputCase asynchronous = usual();
  asynchronous.stall = Seconds(2);
  asynchronous.write = Seconds(400);
  expect_form_meets_runs(asynchronous);
  GoodputCase silent = usual();
  silent.modes.push_back(of_cause(FailureCause::silent, 1, 3));
  silent.spares = 20;
  expect_form_meets_runs(silent, 0.004);
  GoodputCase slow = usual();
  slow.modes = {slowing(2, 0.3, 4), slowing(1, 0.5, 2), of_cause(FailureCause::planned, 2, 0),
                of_cause(FailureCause::straggler, 2, 1, 0.2)};
  slow.spares = 20;
  expect_form_meets_runs(slow);
  GoodputCase aging = usual();
  aging.modes.front().ages = true;
  aging.infant_factor = 2;
  aging.infant_time = Seconds(20 * kDay_s);
  aging.wear_time = Seconds(60 * kDay_s);
  // The closed form takes the mean rate of the period.
  expect_form_meets_runs(aging, 0.006);
}

TEST(Months, ClosedFormMeetsRunsWithServersUnderRepair) {
  GoodputCase c = usual();
  c.modes = {stopping(4, 1, 24), stopping(0.2, 8, 6)};
  c.spares = 12;
  expect_form_meets_runs(c);
  c.spares = 4;
  expect_form_meets_runs(c);
}

/// A job that waits while more servers lack than it has spares.
GoodputCase without_shrinking(double per_day, double repair_h, std::int64_t spares) {
  GoodputCase c = usual();
  c.modes = {stopping(per_day, 1, repair_h)};
  c.replicas = c.least_replicas = 1;
  c.spares = spares;
  c.manual_share = 0.2;
  c.manual_time = Seconds(kHour_s);
  return c;
}

TEST(Months, ClosedFormMeetsRunsThatWaitForServers) {
  for (const std::int64_t spares : {4, 8, 12}) expect_form_meets_runs(without_shrinking(8, 24, spares));
  // Repairs that last for a good part of the period: it begins with all servers.
  expect_form_meets_runs(without_shrinking(1, 10 * 24, 6), 0.003);
  GoodputCase slow = usual();
  slow.modes = {slowing(0.05, 0.5, 15 * 24)};
  expect_form_meets_runs(slow, 0.003);
}

/// Runs that wait for servers behind so many crews.
GoodputCase behind_crews(double per_day, std::int64_t crews, std::int64_t spares) {
  GoodputCase c = without_shrinking(per_day, 24, spares);
  c.modes.front().by_crew = true;
  c.crews = crews;
  c.runs = 2000;
  return c;
}

TEST(Months, ClosedFormMeetsRunsBehindFewCrews) {
  // Seven servers fail a day, one a day and crew is repaired: the queue settles, hovers or grows.
  for (const std::int64_t crews : {5, 6, 7, 8, 9, 12}) {
    for (const std::int64_t spares : {4, 10, 40})
      expect_form_meets_runs(behind_crews(7, crews, spares), 0.005);
  }
  GoodputCase shrinks = behind_crews(7, 7, 8);
  shrinks.replicas = 16;
  shrinks.least_replicas = 12;
  shrinks.swap = Seconds(300);
  expect_form_meets_runs(shrinks, 0.005);
  for (const double days : {8.0, 400.0}) {
    GoodputCase c = behind_crews(7, 7, 12);
    c.period = Seconds(days * kDay_s);
    expect_form_meets_runs(c, 0.005);
  }
}

TEST(Months, ClosedFormMeetsYoungPartsBehindCrews) {
  for (const std::int64_t crews : {0, 9, 30}) {
    GoodputCase c = behind_crews(7, crews, 12);
    c.modes.front().ages = true;
    c.infant_factor = 2;
    c.infant_time = Seconds(10 * kDay_s);
    c.age = Seconds(3 * kDay_s);
    expect_form_meets_runs(c, 0.005);
    c.infant_factor = 0;
    c.wear_time = Seconds(50 * kDay_s);
    expect_form_meets_runs(c, 0.006);
  }
}

TEST(Months, PartsThatDoNotAgeFailAlikeWhileOthersAreYoung) {
  for (const std::int64_t crews : {0, 6, 7, 9, 30}) {
    for (const std::int64_t spares : {2, 12}) {
      GoodputCase c = behind_crews(7, crews, spares);
      c.modes.push_back(c.modes.front());
      c.modes.back().ages = true;
      c.modes.back().rate_per_s *= 1e-9;
      const GoodputForm none_age = goodput_form(c);
      c.infant_factor = 5;
      c.infant_time = Seconds(10 * kDay_s);
      const GoodputForm young = goodput_form(c);
      EXPECT_NEAR(young.ettr, none_age.ettr, 1e-6) << crews;
      EXPECT_NEAR(young.interruptions_per_s / none_age.interruptions_per_s, 1, 1e-6) << crews;
      EXPECT_NEAR(young.long_run_ettr, none_age.long_run_ettr, 1e-6) << crews;
    }
  }
}

TEST(Months, InTheLongRunQueuesGrowOrSettle) {
  EXPECT_EQ(goodput_form(behind_crews(7, 7, 40)).long_run_ettr, 0);
  EXPECT_GT(goodput_form(behind_crews(7, 7, 40)).ettr, 0.5);
  GoodputCase c = behind_crews(7, 8, 10);
  const double ever = goodput_form(c).long_run_ettr;
  c.period = Seconds(3000 * kDay_s);
  EXPECT_NEAR(goodput_form(c).ettr, ever, 0.005);
  // As many crews as servers that ever fail are as good as enough.
  const GoodputForm many = goodput_form(behind_crews(7, 60, 10));
  const GoodputForm enough = goodput_form(behind_crews(7, 0, 10));
  EXPECT_NEAR(many.ettr, enough.ettr, 1e-4);
  EXPECT_NEAR(many.long_run_ettr, enough.long_run_ettr, 1e-4);
}

/// With crews enough the servers under repair are those of an M/G/infinity queue: Poisson's law, whose mean
/// is failures a day times days of repair.
TEST(Months, InTheLongRunServersAreThereAsPoissonSays) {
  for (const double per_day : {1.0, 4.0, 8.0}) {
    for (const std::int64_t spares : {0, 2, 5, 9, 40}) {
      GoodputCase c = without_shrinking(per_day, 24, spares);
      c.detection = c.hang_detection = c.restart = c.manual_time =
          Seconds(0);  // what a run is down for alone
      const GoodputForm form = goodput_form(c);
      double share = std::exp(-per_day);  // of none
      double enough = share;
      for (std::int64_t n = 1; n <= spares; ++n) enough += share *= per_day / static_cast<double>(n);
      EXPECT_NEAR(form.long_run_served, enough, 1e-9) << per_day << " a day, " << spares << " spares";
    }
  }
  EXPECT_EQ(goodput_form(behind_crews(7, 7, 40)).long_run_served, 0);  // the queue grows for ever
}

TEST(Months, InTheLongRunThePeriodIsOfNoMatter) {
  GoodputCase c = without_shrinking(1, 10 * 24, 6);
  const GoodputForm months = goodput_form(c);
  EXPECT_GT(months.ettr, months.long_run_ettr + 0.05);
  c.period = Seconds(3600 * kDay_s);
  c.interval = months.interval;
  EXPECT_NEAR(goodput_form(c).long_run_ettr, months.long_run_ettr, 1e-12);
  EXPECT_NEAR(goodput_form(c).ettr, months.long_run_ettr, 0.003);
}

/// Crews that do not keep up: a run whose servers end before its work never ends. Up to kFewSpares it is
/// seen, the last of them included; beyond them servers are taken to be enough.
TEST(Months, WhatServersLackIsFollowedUpToFewSpares) {
  const auto spread = [](std::int64_t spares) {
    return spread_of_runs(behind_crews(1000, 7, spares), 54 * kDay_s);
  };
  EXPECT_FALSE(std::isfinite(spread(2000).mean));
  EXPECT_FALSE(std::isfinite(spread(kFewSpares).mean));
  EXPECT_EQ(spread(kFewSpares + 1).mean, 1);
}

TEST(Months, OnlySparesThatWaitAreSwappedIn) {
  GoodputCase c = usual();
  c.modes = {stopping(8, 1, 24)};  // 8 servers under repair on average, none when the run begins
  c.swap = Seconds(600);
  for (const std::int64_t spares : {1, 4, 8}) {
    c.spares = spares;
    expect_form_meets_runs(c, 0.003);
    GoodputCase at_once = c;
    at_once.swap = Seconds(0);
    const double used =
        1 - std::log(goodput_form(c).up_share / goodput_form(at_once).up_share) / -(8 / kDay_s * c.swap.si());
    double all_used = 1;  // Poisson's count of those under repair, over the days
    constexpr int kMoments = 20000;
    for (int i = 0; i < kMoments; ++i) {
      const double mean = 8 * -std::expm1(-54 * (i + 0.5) / kMoments);
      for (std::int64_t n = 0; n < spares; ++n)
        all_used -= std::exp(-mean + static_cast<double>(n) * std::log(mean) -
                             std::lgamma(static_cast<double>(n) + 1)) /
                    kMoments;
    }
    EXPECT_NEAR(used, all_used, 3e-4) << spares;
  }
}

TEST(Months, OneSpareOfManyThatLackIsNoWorseThanNone) {
  GoodputCase c = usual();
  c.modes = {stopping(8, 1, 24)};
  c.least_replicas = 1;
  c.swap = Seconds(60);
  const Seconds interval(900);
  for (const std::int64_t spares : {0, 1, 2, 4, 8}) {
    c.spares = spares;
    GoodputCase more = c;
    ++more.spares;
    EXPECT_GE(goodput_form(more).ettr, goodput_form(c).ettr) << spares;
    EXPECT_GE(simulate_months(more, interval, 1).ettr.mean, simulate_months(c, interval, 1).ettr.mean)
        << spares;
  }
}

TEST(Months, BackupsLoseMoreThanCheckpointsThatOutliveAll) {
  GoodputCase c = usual();
  c.modes = {stopping(4), stopping(1, 1)};
  c.spares = 20;
  c.interval = Seconds(900);
  const double all = goodput_form(c).ettr;
  c.outlives_all = false;
  c.modes.back().keeps = false;
  c.backup_every = 8;
  EXPECT_LT(goodput_form(c).ettr, all - 0.01);
  expect_form_meets_runs(c, 0.004);
}

TEST(Months, YoungAndDalyFindTheBestInterval) {
  for (const double write : {5.0, 30.0, 200.0}) {
    GoodputCase c = usual();
    c.stall = c.write = Seconds(write);
    const GoodputForm best = goodput_form(c);
    EXPECT_NEAR(best.interval / best.daly, 1, 0.02) << write;
    EXPECT_NEAR(best.young.si(), std::sqrt(2 * write * kDay_s / 8), 1e-6);
    for (const double factor : {0.8, 1.25}) {
      c.interval = best.interval * factor;
      EXPECT_LT(goodput_form(c).ettr, best.ettr) << write << " x " << factor;
    }
  }
}

TEST(Months, EveryNanosecondIsAccountedFor) {
  for (std::uint64_t number = 1; number <= 200; ++number) {
    const GoodputCase c = drawn(number);
    const RunOutcome run = simulate_run(c, goodput_form(c).interval, 3);
    std::int64_t sum = run.useful_ns + run.checkpoint_ns + run.waiting_ns + run.shrunk_ns;
    for (const auto* part : {&run.down_ns, &run.rework_ns, &run.slow_ns}) {
      sum += std::accumulate(part->begin(), part->end(), std::int64_t{0});
      EXPECT_TRUE(std::all_of(part->begin(), part->end(), [](std::int64_t ns) { return ns >= 0; })) << number;
    }
    EXPECT_EQ(sum, run.period_ns) << number;
    EXPECT_GE(run.useful_ns, 0) << number;
    EXPECT_FALSE(run.cut);
  }
}

TEST(Months, AnswersOfRandomCasesAreFinite) {
  for (std::uint64_t number = 1; number <= 200; ++number) {
    const GoodputForm form = goodput_form(drawn(number));
    EXPECT_GE(form.ettr, 0) << number;
    EXPECT_LE(form.ettr, 1) << number;
    EXPECT_TRUE(std::isfinite(form.interval.si()) && form.interval.si() > 0) << number;
  }
}

/// Up for so little of the time that backups are further apart than numbers reach.
TEST(Months, AnswersOfHopelessCasesAreNumbers) {
  GoodputCase c = usual();
  c.backup_every = 10;
  c.outlives_all = false;
  c.modes = {stopping(8), stopping(1)};
  c.modes.back().keeps = false;
  for (double per_day = 150000; per_day < 185000; per_day += 250) {
    c.modes.front().rate_per_s = per_day / kDay_s;
    const GoodputForm form = goodput_form(c);
    ASSERT_TRUE(std::isfinite(form.ettr) && std::isfinite(form.long_run_ettr)) << per_day;
    ASSERT_LT(form.ettr, 1e-3) << per_day;
  }
}

TEST(Months, MoreFailuresAreNeverBetter) {
  for (std::uint64_t number = 1; number <= 25; ++number) {
    GoodputCase c = drawn(number);
    c.runs = 60;
    const Seconds interval = goodput_form(c).interval;
    c.interval = interval;
    const Spread fewer = simulate_months(c, interval, 1).ettr;
    const double form = goodput_form(c).ettr;
    c.modes.push_back(stopping(3, 1, 10));
    const Spread more = simulate_months(c, interval, 1).ettr;
    EXPECT_LE(more.mean, fewer.mean + 1e-3) << number;
    EXPECT_LE(goodput_form(c).ettr, form + 1e-12) << number;
  }
}

TEST(Months, ThreadsDoNotChangeTheAnswer) {
  GoodputCase c = drawn(7);
  c.runs = 300;
  const Seconds interval = goodput_form(c).interval;
  const MonthsResult one = simulate_months(c, interval, 1);
  const MonthsResult three = simulate_months(c, interval, 3);
  EXPECT_EQ(one.ettr.mean, three.ettr.mean);
  EXPECT_EQ(one.ettr.high, three.ettr.high);
  EXPECT_EQ(one.checkpoint_h, three.checkpoint_h);
  EXPECT_EQ(one.events, three.events);
  for (std::size_t i = 0; i < kFailureCauses; ++i) EXPECT_EQ(one.lost[i].total_h(), three.lost[i].total_h());
  c.seed = 8;
  EXPECT_NE(simulate_months(c, interval, 1).ettr.mean, one.ettr.mean);
}

TEST(Months, FailuresOfACauseDoNotMoveThoseOfOthers) {
  GoodputCase c = usual();
  c.modes = {stopping(3)};
  const RunOutcome alone = simulate_run(c, Seconds(900), 0);
  FailureMode other = stopping(2);
  other.cause = FailureCause::software;
  c.modes.push_back(other);
  const RunOutcome both = simulate_run(c, Seconds(900), 0);
  EXPECT_EQ(alone.failures[0], both.failures[0]);
  EXPECT_GT(both.failures[static_cast<std::size_t>(FailureCause::software)], 0);
}

TEST(Months, BathtubHasItsMeanAndItsShape) {
  GoodputCase c = usual();
  c.infant_factor = 3;
  c.infant_time = Seconds(10 * kDay_s);
  c.wear_time = Seconds(40 * kDay_s);
  double sum = 0;
  constexpr int kSteps = 20000;
  for (int i = 0; i < kSteps; ++i) {
    const double hazard = hazard_at(c, (i + 0.5) / kSteps * c.period.si());
    EXPECT_LE(hazard, most_hazard(c));
    sum += hazard / kSteps;
  }
  EXPECT_NEAR(mean_hazard(c, 0, c.period.si()), sum, 1e-6);
  GoodputCase old = c;
  old.infant_factor = 0;
  EXPECT_NEAR(mean_hazard(old, 0, c.period.si()), worn_hazard(c), 1e-12);
  EXPECT_GT(hazard_at(c, 0), hazard_at(c, 15 * kDay_s));
  EXPECT_LT(hazard_at(c, 15 * kDay_s), hazard_at(c, 54 * kDay_s));
}

TEST(Months, PartsThatWearOutFailAsOftenAsTheirBathtubSays) {
  GoodputCase c = usual();
  c.modes.front().ages = true;
  c.wear_time = Seconds(10 * kDay_s);
  c.infant_factor = 3;
  c.infant_time = Seconds(5 * kDay_s);
  const double expected = 8 * 54 * mean_hazard(c, 0, c.period.si());
  const MonthsResult months = simulate_months(c, Seconds(900), 1);
  EXPECT_NEAR(months.interruptions.mean, expected, 4 * months.interruptions.standard_error);
  // Bounds follow the hazard: not all times are drawn at its highest.
  EXPECT_LT(months.events / 400, 2 * expected);
}

/// As much is done in the mean of the runs by the time of the closed form as training takes without failures.
void expect_done_in_time(GoodputCase c, double ideal_days, double edge = 0.005) {
  const Seconds ideal(ideal_days * kDay_s);
  const TrainingForm training = training_form(c, ideal);
  ASSERT_TRUE(training.time) << ideal_days;
  EXPECT_NEAR(training.useful, ideal / *training.time, 1e-12);
  c.period = training.of_mean_work;
  const Spread ettr = simulate_months(c, training.form.interval, 1).ettr;
  EXPECT_NEAR(ideal / c.period, ettr.mean, 4 * ettr.standard_error + edge) << ideal_days;
}

/// And a run takes so long in the mean.
void expect_runs_reach(const GoodputCase& c, double ideal_days) {
  expect_done_in_time(c, ideal_days);
  const Seconds ideal(ideal_days * kDay_s);
  const TrainingForm training = training_form(c, ideal);
  const TargetTimes runs = simulate_target(c, training.form.interval, ideal, *training.time, 1);
  EXPECT_EQ(runs.ended, 1);
  EXPECT_NEAR(training.time->si() / runs.time_s.mean, 1,
              4 * runs.time_s.standard_error / runs.time_s.mean + 0.003)
      << ideal_days;
  EXPECT_GT(training.time->si(), runs.time_s.low) << ideal_days;
  EXPECT_LT(training.time->si(), runs.time_s.high) << ideal_days;
}

/// Replicas that lack servers are left out, and crews do not keep up.
GoodputCase shrinking_behind_crews() {
  GoodputCase c = behind_crews(6.1, 6, 8);
  c.replicas = 128;
  c.least_replicas = 1;
  return c;
}

TEST(Months, RunsReachTheTargetWhenTheClosedFormSays) {
  GoodputCase young = usual();
  young.modes.front().ages = true;
  young.infant_factor = 8;
  young.infant_time = Seconds(10 * kDay_s);
  for (const double days : {5.0, 40.0, 300.0}) {
    expect_runs_reach(usual(), days);
    expect_runs_reach(young, days);
    expect_runs_reach(behind_crews(7, 9, 20), days);
    expect_runs_reach(without_shrinking(8, 24, 12), days);
    expect_done_in_time(without_shrinking(1, 10 * 24, 9), days);  // begins with all servers
  }
  for (const double days : {5.0, 40.0, 100.0}) expect_done_in_time(shrinking_behind_crews(), days);
  for (const double days : {5.0, 15.0, 20.0}) expect_done_in_time(behind_crews(7, 6, 30), days);
  GoodputCase old = usual();
  old.modes.front().ages = true;
  old.wear_time = Seconds(100 * kDay_s);
  for (const double days : {5.0, 100.0}) expect_done_in_time(old, days);
}

/// Thousands of failures, of which one crew repairs few, until the spares are used up and long after.
TEST(Months, ManySparesBehindOneCrewLastAsLongAsTheyDo) {
  GoodputCase c = behind_crews(100, 1, 4000);
  c.runs = 100;
  for (const double days : {5.0, 20.0, 30.0, 45.0}) {
    c.period = Seconds(days * kDay_s);
    expect_form_meets_runs(c, 0.01);
  }
  for (const double days : {5.0, 6.0, 7.0, 8.0, 9.0}) expect_done_in_time(c, days, 0.01);
}

TEST(Months, TheTimeToTheTargetIsThatOfItsOwnTraining) {
  GoodputCase c = behind_crews(7, 6, 30);
  c.modes.front().ages = true;
  c.infant_factor = 0.5;
  c.infant_time = Seconds(10 * kDay_s);
  const Seconds ideal(5 * kDay_s);
  const TrainingForm training = training_form(c, ideal);
  ASSERT_TRUE(training.time);
  for (const double days : {5.0, 3000.0}) {
    c.period = Seconds(days * kDay_s);
    EXPECT_EQ(training_form(c, ideal).time, training.time) << days;
  }
  c.period = training.of_mean_work;
  EXPECT_NEAR(goodput_form(c).ettr * c.period.si(), ideal.si(), 1e-6 * ideal.si());
  EXPECT_FALSE(training_form(c, Seconds(200 * kDay_s)).time);
}

TEST(Months, RunsThatNeverReachTheTargetAreCounted) {
  const GoodputCase c = behind_crews(7, 6, 30);
  const Seconds ideal(20 * kDay_s);
  const TrainingForm training = training_form(c, ideal);
  ASSERT_TRUE(training.time);
  const TargetTimes runs = simulate_target(c, training.form.interval, ideal, *training.time, 1);
  EXPECT_TRUE(training.endless);
  EXPECT_EQ(*training.time, training.of_mean_work);
  EXPECT_GT(runs.ended, 0.4);
  EXPECT_LT(runs.ended, 0.7);
  EXPECT_TRUE(std::isinf(runs.time_s.high));
  // A run that never ends takes for ever: the others' mean is no mean of the runs.
  EXPECT_TRUE(std::isinf(runs.time_s.mean));
  EXPECT_GT(runs.mean_of_ended_s, ideal.si());
  EXPECT_LT(runs.mean_of_ended_s, runs.within.si());
  EXPECT_EQ(runs.middle_s(), runs.median_s);
  EXPECT_EQ(std::isinf(runs.median_s), runs.ended < 0.5);
  EXPECT_GT(runs.median_s, ideal.si());
}

TEST(Months, ADifferenceBetweenRunsMakesTheirMeanLongerThanThatOfTheMeanWork) {
  const Seconds ideal(40 * kDay_s);
  const GoodputCase waits = behind_crews(7, 8, 12);
  const TrainingForm far_apart = training_form(waits, ideal);
  EXPECT_FALSE(far_apart.endless);
  EXPECT_GT(far_apart.time->si(), far_apart.of_mean_work.si() * 1.03);
  expect_runs_reach(waits, 40);
  // Nothing lacks: both are one.
  const TrainingForm alike = training_form(usual(), ideal);
  EXPECT_EQ(*alike.time, alike.of_mean_work);
  EXPECT_FALSE(alike.deviation);
}

TEST(Months, RunsThatWaitForServersLieAsFarApartAsTheClosedFormSays) {
  const Seconds ideal(40 * kDay_s);
  for (const GoodputCase& c : {behind_crews(7, 8, 12), without_shrinking(8, 24, 6)}) {
    const TrainingForm form = training_form(c, ideal);
    const TargetTimes runs = simulate_target(c, form.form.interval, ideal, *form.time, 1);
    const double deviation_s = runs.time_s.standard_error * std::sqrt(real(runs.runs));
    ASSERT_TRUE(form.deviation);
    EXPECT_NEAR(form.deviation->si() / deviation_s, 1, 0.15);
  }
  // Servers that hardly ever lack are not what scatters the runs.
  EXPECT_FALSE(training_form(without_shrinking(8, 24, 20), ideal).deviation);
  // Some of these never end.
  EXPECT_FALSE(training_form(behind_crews(7, 6, 30), Seconds(20 * kDay_s)).deviation);
}

/// Racks, leaves, feeds and sites scatter runs as well as single servers do, and alone.
TEST(Months, WhatTakesManyServersScattersRunsAsTheClosedFormSays) {
  const Seconds ideal(40 * kDay_s);
  const auto with = [](GoodputCase c, const FailureMode& mode) {
    c.modes.push_back(mode);
    c.runs = 1000;
    return c;
  };
  const GoodputCase shrinks = [] {
    GoodputCase c = without_shrinking(6, 24, 20);
    c.replicas = 16;
    c.least_replicas = 8;
    return c;
  }();
  const std::vector<GoodputCase> cases = {
      with(behind_crews(7, 8, 12), stopping(0.1, 16, 24)),
      with(behind_crews(7, 9, 20), stopping(0.3, 16, 6)),
      with(without_shrinking(8, 24, 20), stopping(0.3, 64, 12)),
      with(without_shrinking(8, 24, 20), stopping(0.05, 128, 48)),
      with(without_shrinking(8, 24, 12), stopping(0.5, 8, 4)),
      with(shrinks, stopping(0.2, 64, 24)),
  };
  for (const GoodputCase& c : cases) {
    const TrainingForm form = training_form(c, ideal);
    const TargetTimes runs = simulate_target(c, form.form.interval, ideal, *form.time, 1);
    const double deviation_s = runs.time_s.standard_error * std::sqrt(real(runs.runs));
    ASSERT_TRUE(form.deviation);
    EXPECT_NEAR(form.deviation->si() / deviation_s, 1, 0.15) << c.modes.back().hosts << " servers";
  }
}

/// A job that waits for, or goes on without, what racks, leaves and feeds take, of many sizes at once, which
/// its spares cover one by one but not together; the same for a number.
GoodputCase drawn_outages(std::uint64_t number) {
  std::uint64_t at = 0;
  const auto between = [&](double least, double most) {
    return least * std::pow(most / least, static_cast<double>(below(mixed(number, ++at), 1000)) / 1000);
  };
  GoodputCase c = without_shrinking(between(0.5, 8), between(4, 100), 0);
  c.seed = static_cast<std::int64_t>(number);
  c.manual_share = 0;  // recoveries scatter runs, too
  c.modes.front().by_crew = true;
  double lacking = c.modes.front().rate_per_s * c.modes.front().lasts.si();
  std::int64_t largest = 1;
  for (auto sizes = 1 + below(mixed(number, ++at), 3); sizes > 0; --sizes) {
    const auto servers = static_cast<std::int64_t>(between(2, 60));
    const double hours = between(2, 200);
    const double there = between(0.05, 1.5);
    c.modes.push_back(stopping(there * 24 / hours, servers, hours));
    lacking += there * real(servers);
    largest = std::max(largest, servers);
  }
  c.spares = static_cast<std::int64_t>(lacking * between(0.9, 1.5) + real(largest) * between(0.5, 2));
  if (below(mixed(number, ++at), 2) == 0)
    c.crews = 1 + static_cast<std::int64_t>(c.modes[0].rate_per_s * c.modes[0].lasts.si() * between(1.1, 2));
  if (below(mixed(number, ++at), 3) == 0) {
    c.replicas = 16;
    c.least_replicas = 10;
  }
  c.runs = 1000;
  return c;
}

/// Somewhat less than the simulation says, where failures themselves and rework scatter the runs, too.
TEST(Months, OutagesThatMustOverlapScatterRunsAsTheClosedFormSays) {
  const Seconds ideal(40 * kDay_s);
  double sum = 0;
  int counted = 0;
  for (std::uint64_t number = 1; number <= 60; ++number) {
    const GoodputCase c = drawn_outages(number);
    const TrainingForm form = training_form(c, ideal);
    if (form.endless || !form.deviation || *form.deviation > 0.5 * *form.time) continue;
    const TargetTimes runs = simulate_target(c, form.form.interval, ideal, *form.time, 1);
    ASSERT_EQ(runs.ended, 1) << number;
    const double deviation_s = runs.time_s.standard_error * std::sqrt(real(runs.runs));
    const double ratio = form.deviation->si() / deviation_s;
    EXPECT_GT(ratio, 0.8) << number;
    EXPECT_LT(ratio, 1.1) << number;
    EXPECT_NEAR(form.time->si(), runs.time_s.mean, 4 * runs.time_s.standard_error + 0.002 * ideal.si())
        << number;
    sum += std::log(ratio);
    ++counted;
  }
  EXPECT_GE(counted, 30);
  EXPECT_NEAR(std::exp(sum / counted), 0.96, 0.04);
}

/// No single servers fail, and there are no crews: racks alone make the job wait.
TEST(Months, OutagesOfRacksAloneScatterRuns) {
  const Seconds ideal(40 * kDay_s);
  GoodputCase c = without_shrinking(0, 24, 10);
  c.modes = {stopping(0.3, 16, 36)};
  c.runs = 300;
  const std::clock_t began = std::clock();
  const TrainingForm form = training_form(c, ideal);
  // A queue that nothing enters was followed event by event of none: 40 s, and is 0.1.
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 10);
  const TargetTimes runs = simulate_target(c, form.form.interval, ideal, *form.time, 1);
  ASSERT_TRUE(form.deviation);
  EXPECT_NEAR(form.deviation->si() / (runs.time_s.standard_error * std::sqrt(real(runs.runs))), 1, 0.1);
  EXPECT_NEAR(form.time->si(), runs.time_s.mean, 4 * runs.time_s.standard_error);
}

/// Where what takes eight servers is there in the long run so often that nothing would be served, the clock
/// of the repairs of single ones has no end to wait for.
TEST(Months, RepairsOfYearsTakeNoLongerToJudge) {
  GoodputCase c = usual();
  c.hosts = 2048;
  c.replicas = 128;
  c.least_replicas = 115;
  constexpr double kYears_h = 3 * 365 * 24;
  c.modes = {stopping(0.5, 1, kYears_h), stopping(0.1, 8, kYears_h)};
  const Seconds ideal(60 * kDay_s);
  const std::clock_t began = std::clock();
  const TrainingForm form = training_form(c, ideal);
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 10);  // it was 19, and is 0.1
  const TargetTimes runs = simulate_target(c, form.form.interval, ideal, *form.time, 1);
  EXPECT_EQ(runs.ended, 1);
  EXPECT_NEAR(form.time->si(), runs.time_s.mean, 4 * runs.time_s.standard_error + 0.002 * ideal.si());
}

TEST(Months, RunsOfDecadesAreSimulatedAsLongAsTheClockGoes) {
  GoodputCase c = usual();
  c.runs = 20;
  constexpr double kYears_s = 365 * kDay_s;
  c.modes.front().rate_per_s = 1 / (30 * kDay_s);
  for (const double years : {20.0, 70.0}) {
    const Seconds ideal(years * kYears_s);
    const TargetTimes runs = simulate_target(c, Seconds(kDay_s), ideal, ideal * 1.03, 1);
    EXPECT_EQ(runs.runs, 20);
    EXPECT_EQ(runs.ended, 1);
    EXPECT_NEAR(runs.within.si() / kYears_s, 146.2, 0.1);
  }
  EXPECT_FALSE(simulate_target(c, Seconds(kDay_s), c.period, Seconds(80 * kYears_s), 1).simulated());
}

TEST(Months, QuantilesCountEndlessRunsAsInfinite) {
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantile_of({1, 2, 3, never}, 0.5), 2.5);
  EXPECT_EQ(quantile_of({1, 2, 3, never, never}, 0.5), 3);
  EXPECT_EQ(quantile_of({1, 2, never, never}, 0.5), never);
  EXPECT_EQ(quantile_of({never}, 0.5), never);
}

TEST(Months, ARunEndsAtTheNanosecondThatItsWorkIsDone) {
  int ended = 0;
  for (std::uint64_t number = 1; number <= 20; ++number) {
    GoodputCase c = drawn(number);
    c.wear_time.reset();
    const Seconds ideal(3 * kDay_s);
    const auto time = simulated_time(c, Seconds(900), 2, ideal);
    if (!time) continue;
    ++ended;
    c.period = *time;
    const RunOutcome run = simulate_run(c, Seconds(900), 2);
    EXPECT_NEAR(static_cast<double>(run.useful_ns), ideal.si() * 1e9, 10) << number;
  }
  EXPECT_GE(ended, 10);
}

TEST(Months, ServersThatLackCostReplicasAndThenEverything) {
  GoodputCase c = usual();  // 8 servers a replica
  c.spares = 3;
  EXPECT_EQ(served_share(c, 3), 1);
  EXPECT_DOUBLE_EQ(served_share(c, 4), 15.0 / 16);
  EXPECT_DOUBLE_EQ(served_share(c, 11), 15.0 / 16);
  EXPECT_DOUBLE_EQ(served_share(c, 12), 14.0 / 16);
  EXPECT_EQ(served_share(c, 3 + 33), 0);
  c.replicas = c.least_replicas = 1;
  EXPECT_EQ(served_share(c, 4), 0);
}

TEST(Months, FewCrewsMakeServersWait) {
  GoodputCase c = usual();
  c.modes = {stopping(3, 1, 24)};
  c.modes.front().by_crew = true;
  c.spares = 5;
  const double enough = simulate_months(c, Seconds(900), 1).ettr.mean;
  c.crews = 4;
  EXPECT_LT(simulate_months(c, Seconds(900), 1).ettr.mean, enough - 0.01);
  EXPECT_LT(goodput_form(c).ettr, 1);
}

TEST(Months, RunsOfTooManyEventsAreRefused) {
  GoodputCase c = usual();
  c.modes = {stopping(1e6)};
  EXPECT_THROW(simulate_months(c, Seconds(900), 1), InputError);
  c.modes = {stopping(1000)};
  c.runs = 1000000;
  EXPECT_THROW(simulate_months(c, Seconds(900), 1), InputError);
}

TEST(Months, TimelineCoversThePeriod) {
  const GoodputCase c = drawn(3);
  const MonthsResult months = simulate_months(c, Seconds(2000), 1);
  ASSERT_FALSE(months.timeline.empty());
  EXPECT_EQ(months.timeline.front().from.si(), 0);
  EXPECT_NEAR(months.timeline.back().to.si(), c.period.si(), 1e-6);
  for (std::size_t i = 1; i < months.timeline.size(); ++i)
    EXPECT_EQ(months.timeline[i].from, months.timeline[i - 1].to);
}

}  // namespace
}  // namespace trainyard
