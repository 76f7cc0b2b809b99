// Ledgers of years against sums by hand.
#include "trainyard/ownership.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ownership/ledger.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using namespace ownership;

constexpr double kYear = 365 * 86400.0;

OwnedPhase phase(double ordered, double delivered, double serves, double retires) {
  OwnedPhase out;
  out.name = "p";
  out.devices = 1000;
  out.ordered = Seconds(ordered * kYear);
  out.delivered = Seconds(delivered * kYear);
  out.serves = Seconds(serves * kYear);
  out.retires = Seconds(retires * kYear);
  out.price = Usd(100e6);
  out.power = Watts(1e6);
  out.tokens_per_second = 1e6;
  return out;
}

OwnershipInput four_years() {
  OwnershipInput out;
  out.horizon = Seconds(4 * kYear);
  out.write_off = Seconds(5 * kYear);
  return out;
}

TEST(Ownership, AYearInTheBooksIsAFifth) {
  const std::vector<OwnedPhase> phases = {phase(0, 0.5, 1, 6)};
  const Ownership o = keep_ledger(phases, four_years(), 1e13, UsdPerJoule(1e-8), "all");
  ASSERT_EQ(o.months.size(), 48U);
  EXPECT_DOUBLE_EQ(o.months[0].paid.si(), 30e6);
  EXPECT_DOUBLE_EQ(o.months[6].paid.si(), 70e6);
  EXPECT_DOUBLE_EQ(o.paid.si(), 100e6);
  EXPECT_NEAR(o.book.si(), 100e6 * 2 / 5, 1);  // three years of five
  EXPECT_NEAR(o.energy.si(), 1e6 * 3 * kYear * 1e-8, 1e-3);
  EXPECT_NEAR(o.upkeep.si(), 0.03 * 100e6 * 3, 1);
  EXPECT_NEAR(o.cost.si(), (o.paid + o.energy + o.upkeep - o.book).si(), 1e-3);
  EXPECT_NEAR(o.tokens, 1e6 * 3 * kYear, 1e3);
  EXPECT_NEAR(o.trained->si(), kYear + 1e7, 1e-3);
  EXPECT_NEAR(o.per_million_tokens->si(), o.cost.si() / o.tokens * 1e6, 1e-12);
}

TEST(Ownership, DevicesThatRetireLeaveTheBooks) {
  // Of five years' write-off two are over when they retire: nobody owns the other three fifths then.
  const std::vector<OwnedPhase> phases = {phase(0, 0, 0, 2)};
  const Ownership o = keep_ledger(phases, four_years(), 1, UsdPerJoule(0), "short");
  EXPECT_NEAR(o.months[22].book.si(), 100e6 * (1 - 23.0 / 60), 1);
  EXPECT_NEAR(o.months[23].book.si(), 60e6, 1);  // what falls on the end of a month is the next one's
  EXPECT_DOUBLE_EQ(o.months[24].book.si(), 0);
  EXPECT_DOUBLE_EQ(o.book.si(), 0);
  EXPECT_NEAR(o.cost.si(), 100e6 * (1 + 0.03 * 2), 1);
}

TEST(Ownership, GenerationsTrainSideBySide) {
  const std::vector<OwnedPhase> phases = {phase(0, 0, 0, 2), phase(1, 1, 1, 6)};
  const Ownership o = keep_ledger(phases, four_years(), 1e6 * 3.5 * kYear, UsdPerJoule(0), "all");
  // One for a year, two for a year, one until the horizon: 1 + 2 + 0.5 years' worth at 2.5 years.
  EXPECT_NEAR(o.trained->si() / kYear, 2.5, 1e-9);
  EXPECT_NEAR(o.tokens, 1e6 * 5 * kYear, 1e3);
  EXPECT_NEAR(o.months[18].devices, 2000, 1e-9);
  EXPECT_NEAR(o.months[30].devices, 1000, 1e-9);
  EXPECT_FALSE(keep_ledger(phases, four_years(), 1e6 * 5.1 * kYear, UsdPerJoule(0), "all").trained);
}

TEST(Ownership, NothingTrainedHasNoPrice) {
  const std::vector<OwnedPhase> phases = {phase(3, 4, 5, 9)};
  const Ownership o = keep_ledger(phases, four_years(), 1, UsdPerJoule(0), "late");
  EXPECT_FALSE(o.trained);
  EXPECT_FALSE(o.per_million_tokens);
  EXPECT_NEAR(o.book.si(), o.paid.si(), 1e-6);
}

TEST(Ownership, WhatFallsOnAYearsEndIsTheNextYears) {
  const std::vector<OwnedPhase> phases = {phase(0, 0, 0, 6), phase(1, 2, 2, 7)};
  for (const double days : {364.0, 365.0, 366.0, 395.0, 4 * 365.0}) {
    SCOPED_TRACE(days);
    OwnershipInput settings = four_years();
    settings.horizon = Seconds(days * 86400);
    settings.write_off = Seconds(1000 * kYear);
    const Ownership o = keep_ledger(phases, settings, 1e13, UsdPerJoule(0), "all");
    Usd paid;
    for (const OwnedMonth& month : o.months) {
      paid += month.paid;
      // The books hold what was paid until then, and lose a thousandth a year.
      EXPECT_LE(month.book, paid);
      EXPECT_GE(month.book, paid * (1 - 4e-3));
      EXPECT_LE((month.to - month.from).si(), kYear / 12 + 1e-6);
      const double from = month.from.si() / kYear;
      EXPECT_EQ(month.paid, Usd(from == 0 ? 100e6 : from == 1 ? 30e6 : from == 2 ? 70e6 : 0));
    }
    EXPECT_EQ(o.months.back().to, settings.horizon);
  }
}

TEST(Ownership, MoneyLaterIsWorthLess) {
  OwnershipInput settings = four_years();
  settings.maintenance = 0;
  settings.paid_at_order = 1;
  const std::vector<OwnedPhase> now = {phase(0, 0, 0, 9)};
  const std::vector<OwnedPhase> later = {phase(2, 2, 2, 9)};
  const Ownership a = keep_ledger(now, settings, 1, UsdPerJoule(0), "now");
  const Ownership b = keep_ledger(later, settings, 1, UsdPerJoule(0), "later");
  const double month = 1.0 / 24;  // what falls in the middle of the first
  EXPECT_NEAR(a.present_value.si(), 100e6 * (std::pow(1.08, -month) - 0.2 * std::pow(1.08, -4)), 1);
  EXPECT_NEAR(b.present_value.si(), 100e6 * (std::pow(1.08, -2 - month) - 0.6 * std::pow(1.08, -4)), 1);
  settings.discount_rate = 0;
  const Ownership c = keep_ledger(now, settings, 1, UsdPerJoule(0), "now");
  EXPECT_DOUBLE_EQ(c.present_value.si(), c.cost.si());
}

TEST(Ownership, PhasesArePlansOfTheirOwn) {
  const OwnershipAnswer answer = study_ownership(ScenarioText::load("two-generations").resolve());
  ASSERT_EQ(answer.phases.size(), 3U);
  EXPECT_DOUBLE_EQ(answer.phases[0].tokens_per_second, answer.phases[1].tokens_per_second);
  // The next generation does more for a device.
  EXPECT_GT(answer.phases[2].tokens_per_second / static_cast<double>(answer.phases[2].devices),
            1.2 * answer.phases[0].tokens_per_second / static_cast<double>(answer.phases[0].devices));
  ASSERT_EQ(answer.others.size(), 4U);
  EXPECT_EQ(answer.others.back().name, "all ordered at once");
  ASSERT_TRUE(answer.asked.trained);
  EXPECT_LT(answer.others.back().trained->si(), answer.asked.trained->si());
  EXPECT_LT(answer.others[2].tokens, answer.asked.tokens);
  for (std::size_t i = 0; i < answer.watches.size(); ++i) {
    const Watch& w = answer.watches[i];
    EXPECT_DOUBLE_EQ(w.rate.si(), *answer.ports * 64 * 8 / w.interval.si());
    EXPECT_DOUBLE_EQ(w.detection.si(), 2.5 * w.interval.si() + 5);
    EXPECT_LE(w.useful.value(), answer.watches[i > 0 ? i - 1 : 0].useful.value());
  }
}

TEST(Ownership, YearsAreTheLongRun) {
  // The period that months simulate is of no matter, nor are the first days with all servers.
  const auto rate = [](const char* period, const std::vector<std::string>& more) {
    ScenarioText text = ScenarioText::load("two-generations");
    for (const char* change : {"resilience.spares=2", "resilience.shrink=false"}) text.set(change);
    text.set(std::string("resilience.period=") + period);
    for (const std::string& change : more) text.set(change);
    return study_ownership(text.resolve()).phases[0].tokens_per_second;
  };
  const std::vector<std::string> bathtub = {
      "catalog.failures.llama3.source=a test", "catalog.failures.llama3.infant_factor=4",
      "catalog.failures.llama3.infant_time=60 days", "catalog.failures.llama3.wear_time=3 years"};
  for (const auto& more : {std::vector<std::string>{}, bathtub})
    EXPECT_NEAR(rate("\"5 days\"", more) / rate("\"500 days\"", more), 1, 1e-9);
  // Parts that wear out within their life fail more often over all of it.
  EXPECT_LT(rate("\"5 days\"", bathtub), 0.99 * rate("\"5 days\"", {}));
}

TEST(Ownership, SaysWhichPhaseIsWrong) {
  const auto asked = [](const std::string& change) {
    ScenarioText text = ScenarioText::load("two-generations");
    text.set(change);
    return study_ownership(text.resolve());
  };
  EXPECT_THROW(asked("phase=[{name=\"a\",devices=8},{name=\"a\",devices=8}]"), InputError);
  EXPECT_THROW(asked("phase=[{name=\"a\"}]"), InputError);
  EXPECT_THROW(asked("phase=[{name=\"a\",devices=8192,hb_domain=\"nvl72-gb2\"}]"), InputError);
  EXPECT_THROW(asked("ownership.horizon=\"0 s\""), InputError);
  try {
    asked("resilience.restart=\"300 h\"");
    FAIL() << "training ends";
  } catch (const Infeasible& answer) {
    EXPECT_NE(answer.constraint.find("phase 'first'"), std::string::npos) << answer.constraint;
  }
}

}  // namespace
}  // namespace trainyard
