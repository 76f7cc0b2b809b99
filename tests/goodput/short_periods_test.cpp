// Periods in which a run hardly starts up: it begins without a recovery, and ends with training that no
// checkpoint holds yet. The closed form beside the simulation, and beside itself in the long run.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.h"
#include "goodput/goodput_parts.h"
#include "goodput/kept_stretches.h"
#include "goodput/up_times.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

constexpr double kLengths_s[] = {60, 300, 900, 3600, 4 * kHour_s, kDay_s, 3 * kDay_s};

void expect_form_meets_short_runs(GoodputCase c, double edge = 2e-4) {
  constexpr double kEvents = 2e6;
  for (const double length_s : kLengths_s) {
    c.period = Seconds(length_s);
    c.runs = static_cast<std::int64_t>(std::min(200000.0, kEvents * 60 / length_s));
    const GoodputForm form = goodput_form(c);
    const MonthsResult months = simulate_months(c, form.interval, 1);
    EXPECT_NEAR(form.ettr, months.ettr.mean, 4 * months.ettr.standard_error + edge) << length_s << " s";
  }
}

TEST(ShortPeriods, FormMeetsRunsWhereFailuresStopTheJob) {
  expect_form_meets_short_runs(usual());
  GoodputCase often = usual();
  often.modes = {stopping(200)};
  expect_form_meets_short_runs(often);
  often.stall = Seconds(2);
  often.write = Seconds(400);
  expect_form_meets_short_runs(often);
  GoodputCase rarely_saved = often;
  rarely_saved.interval = Seconds(2 * kHour_s);
  expect_form_meets_short_runs(rarely_saved);
}

// Where runs hardly train at all, what is kept at their end rounds to nothing, not below.
TEST(ShortPeriods, NoShareIsBelowNothingOrAboveAll) {
  for (const double per_day : {20.0, 2e3, 2e5}) {
    for (const double length_s : kLengths_s) {
      GoodputCase c = usual();
      c.modes = {stopping(per_day), of_cause(FailureCause::silent, per_day, 1)};
      c.interval = Seconds(kHour_s);
      c.period = Seconds(length_s);
      const GoodputForm form = goodput_form(c);
      EXPECT_GE(form.ettr, 0) << per_day << " " << length_s;
      EXPECT_LE(form.ettr, 1);
      EXPECT_GE(form.up_share, 0);
      EXPECT_LE(form.up_share, 1);
    }
  }
}

TEST(ShortPeriods, FormMeetsRunsWhereFailuresAreSeenLateOrPause) {
  GoodputCase hangs = usual();
  hangs.modes = {stopping(100), of_cause(FailureCause::planned, 100, 0)};
  hangs.hang_share = 0.3;
  hangs.manual_share = 0.1;
  hangs.manual_time = Seconds(2 * kHour_s);
  expect_form_meets_short_runs(hangs);
}

TEST(ShortPeriods, FormMeetsRunsWithWhatIsWrongForLong) {
  GoodputCase silent = usual();
  silent.modes = {of_cause(FailureCause::silent, 3, 1)};
  silent.spares = 1000;
  expect_form_meets_short_runs(silent, 1e-3);
  GoodputCase slow = usual();
  slow.modes = {of_cause(FailureCause::straggler, 10, 1, 0.3)};
  slow.spares = 1000;
  expect_form_meets_short_runs(slow, 1e-3);
}

TEST(ShortPeriods, WrongResultsThatNobodyFindsAreNotUseful) {
  GoodputCase c = usual();
  c.modes = {of_cause(FailureCause::silent, 2, 1e6)};
  c.period = Seconds(10 * kDay_s);
  c.interval = Seconds(600);
  c.runs = 2000;
  const GoodputForm form = goodput_form(c);
  const MonthsResult months = simulate_months(c, form.interval, 1);
  // Until the first corruption: an exponential time of half a day.
  EXPECT_NEAR(months.ettr.mean, 0.5 / 10, 0.005);
  EXPECT_NEAR(form.ettr, months.ettr.mean, 4 * months.ettr.standard_error + 1e-3);
  EXPECT_FALSE(simulated_time(c, form.interval, 1, Seconds(9 * kDay_s)));
}

TEST(ShortPeriods, FormMeetsRunsThatLoseCheckpoints) {
  GoodputCase c = usual();
  c.modes = {stopping(5)};
  c.modes.front().keeps = false;
  c.outlives_all = false;
  c.backup_every = 5;
  expect_form_meets_short_runs(c, 1e-3);
}

TEST(ShortPeriods, StretchesOfALongTimeAreThoseOfTheLongRun) {
  const KeptStretches s = {
      .stops_per_s = 1e-4, .pauses_per_s = 3e-5, .interval_s = 500, .stall_s = 20, .safe_after_s = 60};
  const UpTimes up({{1e-4, 300}, {3e-5, 4000}});
  const double up_share = std::exp(-1e-4 * 300 - 3e-5 * 4000);
  constexpr double kLong_s = 1e9;
  EXPECT_NEAR(up.time_by(kLong_s) / kLong_s, up_share, 1e-6);
  EXPECT_NEAR(kept_by(s, up, kLong_s) / kLong_s, up_share * kept_share(s), 1e-5);
}

TEST(ShortPeriods, NothingIsLostBeforeTheFirstRecovery) {
  const KeptStretches s = {.interval_s = 100, .stall_s = 10};
  EXPECT_NEAR(kept_by(s, UpTimes({}), 255), 100 + 100 + 35, 1e-9);
  EXPECT_NEAR(kept_by(s, UpTimes({}), 205), 100 + 95, 1e-9);
}

TEST(ShortPeriods, WrongResultsAreLostWhenTheyAreFound) {
  const WrongResults wrong = {.rate_per_s = 1e-3, .found_after_s = 500};
  EXPECT_NEAR(wrong.kept_share_by(1), 1, 1e-3);
  EXPECT_NEAR(wrong.kept_share_by(1e9), wrong.kept_share(), 1e-6);
  EXPECT_NEAR(WrongResults({.rate_per_s = 1e-3, .found_after_s = 1e20}).kept_share_by(1e6), 1e-3, 1e-6);
  EXPECT_NEAR(wrong.found_share_by(1e9), 1, 1e-6);
  EXPECT_NEAR(wrong.found_share_by(1e-3), 0, 1e-5);
}

}  // namespace
}  // namespace trainyard
