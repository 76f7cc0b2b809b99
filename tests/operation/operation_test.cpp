// Days, power and swings against sums by hand.
#include "trainyard/operation.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operation/day.h"
#include "operation/swings.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/step_at_rate.h"

namespace trainyard {
namespace {

using namespace operation;

Plan day_plan(const std::vector<std::string>& changes = {}) {
  const std::string text =
      "[facility]\ndevices = 256\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[training]\n"
      "tokens = 1e12\nbatch_tokens = 2097152\n[mapping]\ntensor = 8\npipeline = 1\n[operation]\nchange_time "
      "= "
      "\"0 s\"\n";
  ScenarioText scenario = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"day", text}));
  for (const std::string& change : changes) scenario.set(change);
  return make_plan(scenario.resolve());
}

OperationAnswer answer_of(const std::vector<std::string>& changes) {
  return study_operation(day_plan(changes));
}

TEST(Operation, WithoutCurvesTrainingHasAllDevicesAllDay) {
  const Plan plan = day_plan();
  const OperationAnswer answer = study_operation(plan);
  EXPECT_EQ(answer.replicas * answer.replica_devices, 256);
  EXPECT_DOUBLE_EQ(answer.asked.speed, 1);
  EXPECT_EQ(answer.asked.changes, 0);
  ASSERT_EQ(answer.asked.hours.size(), 1U);
  EXPECT_NEAR(answer.asked.energy.si(), answer.training_power.si() * 86400, 1);
  // Checkpoints on the network and failures, at default rates, are all that lengthens it.
  const Seconds slower = plan.step.days_to_train * (1 + answer.checkpoint.slowdown);
  EXPECT_NEAR(answer.asked.days->si(), slower.si() / answer.goodput, 1);
  EXPECT_LT(answer.goodput, 1);
  const TrainingForm training = training_form(goodput_case(plan, step_at_rate(plan)), slower);
  EXPECT_NEAR(*answer.asked.days / *training.time, 1, 1e-6);
  EXPECT_NEAR(answer.asked.energy_cost.si(), answer.asked.energy.si() * plan.cost.electricity_price.si(),
              1e-6);
}

TEST(Operation, ServiceTakesReplicasInWholes) {
  // 256 devices, replicas of 8; a quarter and 10 devices more: 74 wanted, 182 left, 22 replicas.
  const OperationAnswer answer = answer_of({"operation.service=[0.2890625, 0]"});
  ASSERT_EQ(answer.asked.hours.size(), 2U);
  EXPECT_EQ(answer.asked.hours[0].service_devices, 74);
  EXPECT_EQ(answer.asked.hours[0].replicas, 22);
  EXPECT_EQ(answer.asked.hours[1].replicas, 32);
  EXPECT_DOUBLE_EQ(answer.asked.speed, (22.0 + 32) / 64);
  EXPECT_DOUBLE_EQ(answer.asked.service_income.si(), 74 * 12 * 2.0);
  EXPECT_EQ(answer.asked.changes, 2);
  // Training first leaves nothing.
  const OperationDay& first = answer.others.back();
  EXPECT_EQ(first.name, "training first");
  EXPECT_DOUBLE_EQ(first.service_served_h, 0);
  EXPECT_DOUBLE_EQ(first.speed, 1);
}

double stops_per_day(const OperationAnswer& answer) {
  for (const PowerSwing& swing : answer.swings)
    if (swing.what == "training stops") return swing.per_day;
  return 0;
}

TEST(Operation, PowerFallsAsOftenAsTrainingStops) {
  const std::string service = "operation.service=[0.2890625, 0]";
  const std::string takes_time = "operation.change_time=\"300 s\"";
  const Plan plan = day_plan();
  const GoodputCase failures = goodput_case(plan, step_at_rate(plan));
  double planned_per_day = 0;
  for (const FailureMode& mode : failures.modes)
    if (mode.cause == FailureCause::planned) planned_per_day += mode.rate_per_s * 86400;
  EXPECT_GT(planned_per_day, 0);
  const double by_failures =
      training_form(failures, plan.step.days_to_train).form.interruptions_per_s * 86400;
  // Changes that take no time stop nothing; others do in the morning and in the evening.
  EXPECT_NEAR(stops_per_day(answer_of({service})), by_failures + planned_per_day, 1e-6);
  EXPECT_NEAR(stops_per_day(answer_of({service, takes_time})),
              (by_failures + planned_per_day) * (1 - 600.0 / 86400) + 2, 1e-6);
  // Half of the day without training has no failures of it; none at all has none.
  const OperationAnswer half = answer_of({"operation.service=[1, 0]"});
  EXPECT_DOUBLE_EQ(half.asked.trains, 0.5);
  EXPECT_NEAR(stops_per_day(half), (by_failures + planned_per_day) / 2 + 1, 1e-6);
  EXPECT_NEAR(half.swings.front().per_day, answer_of({service}).swings.front().per_day / 2, 1e-6);
  EXPECT_EQ(stops_per_day(answer_of({"operation.service=[1]"})), 0);
  // Where nothing is left at noon training stops once.
  EXPECT_EQ(answer_of({"operation.service=[1, 0]"}).asked.stops, 1);
  EXPECT_EQ(answer_of({"operation.service=[1, 0]", takes_time}).asked.stops, 1);
}

TEST(Operation, WeekendsHaveCurvesOfTheirOwn) {
  // Half of the devices on weekdays, none at weekends; energy costs 70 on weekdays and 0 at weekends.
  const OperationAnswer answer =
      answer_of({"operation.service=[0.5]", "operation.weekend_service=[0]",
                 "operation.prices_usd_per_mwh=[70]", "operation.weekend_prices_usd_per_mwh=[0]"});
  EXPECT_DOUBLE_EQ(answer.period.si(), 7 * 86400);
  ASSERT_EQ(answer.asked.hours.size(), 7U);
  EXPECT_EQ(answer.asked.hours[4].replicas, 16);
  EXPECT_EQ(answer.asked.hours[5].replicas, 32);
  EXPECT_DOUBLE_EQ(answer.asked.speed, (5 * 0.5 + 2) / 7);
  // Saturday and Monday.
  EXPECT_DOUBLE_EQ(answer.asked.changes, 2.0 / 7);
  EXPECT_DOUBLE_EQ(answer.asked.service_income.si(), 128 * 24 * 2.0 * 5 / 7);
  const double mwh_of_weekday = answer.asked.hours[0].power.si() * 86400 / 3.6e9;
  EXPECT_NEAR(answer.asked.energy_cost.si(), 70 * mwh_of_weekday * 5 / 7, 1e-9 * 70 * mwh_of_weekday);
  // A pause above each price: weekends alone, or always.
  ASSERT_EQ(answer.pauses.size(), 2U);
  EXPECT_DOUBLE_EQ(answer.pauses[0].speed, 2.0 / 7);
}

TEST(Operation, WeekendsAsOtherDaysChangeNothing) {
  const std::vector<std::string> day = {"operation.service=[0.5, 0.1, 0.3]"};
  std::vector<std::string> week = day;
  week.emplace_back("operation.weekend_service=[0.5, 0.1, 0.3]");
  const OperationDay one = answer_of(day).asked;
  const OperationDay seven = answer_of(week).asked;
  ASSERT_EQ(seven.hours.size(), 7 * one.hours.size());
  EXPECT_NEAR(seven.speed, one.speed, 1e-12);
  EXPECT_NEAR(seven.energy.si(), one.energy.si(), 1e-9 * one.energy.si());
  EXPECT_NEAR(seven.changes, one.changes, 1e-12);
  EXPECT_NEAR(seven.idle_power.si(), one.idle_power.si(), 1);
  EXPECT_NEAR(seven.cost->si(), one.cost->si(), 1e-8 * one.cost->si());
}

TEST(Operation, ACapBelowWhatIdleDevicesDrawIsToldWithBoth) {
  double idle_mw = 0;
  try {
    answer_of({"operation.power_limit=50 kW"});
    FAIL();
  } catch (const Infeasible& e) {
    ASSERT_EQ(std::sscanf(e.shortfall.c_str(), "at %*s idle devices draw %lf MW of 0.05 MW", &idle_mw), 1)
        << e.shortfall;
  }
  // Three digits of it are told.
  const auto limit = [](double mw) { return "operation.power_limit=" + std::to_string(mw) + " MW"; };
  EXPECT_THROW(answer_of({limit(0.99 * idle_mw)}), Infeasible);
  EXPECT_NO_THROW(answer_of({limit(1.01 * idle_mw)}));
}

TEST(Operation, ACapOfJustWhatIdleDevicesDrawIsKept) {
  const auto limit = [](double w) { return fmt::format("operation.power_limit={:.17g} W", w); };
  // A step more than idle devices draw, and less than a replica: that is what they draw.
  double idle_w = 0;
  for (double w = 1000; idle_w == 0; w *= 1.02) {
    try {
      const OperationAnswer answer = answer_of({limit(w)});
      ASSERT_EQ(answer.asked.hours.front().replicas, 0);
      idle_w = answer.asked.hours.front().power.si();
    } catch (const Infeasible&) {
      continue;
    }
  }
  const OperationAnswer kept = answer_of({limit(idle_w)});
  EXPECT_EQ(kept.asked.hours.front().replicas, 0);
  EXPECT_EQ(kept.asked.hours.front().power.si(), idle_w);
  EXPECT_THROW(answer_of({limit(std::nextafter(idle_w, 0))}), Infeasible);
}

TEST(Operation, MomentsOfAWeekHaveTheirDay) {
  EXPECT_EQ(operation_moment(Seconds(14 * 3600), Seconds(86400)), "14:00");
  EXPECT_EQ(operation_moment(Seconds(5 * 86400 + 14 * 3600), Seconds(7 * 86400)), "Sat 14:00");
}

TEST(Operation, ChangesCostTheirTime) {
  const OperationAnswer answer = answer_of({"operation.service=[0.5, 0]", "operation.change_time=\"1 h\""});
  EXPECT_DOUBLE_EQ(answer.asked.speed, (11.0 / 24) * 0.5 + 11.0 / 24);
}

TEST(Operation, CapsHoldAndBind) {
  const Plan plan = day_plan();
  const double full = study_operation(plan).full_power.si();
  for (const double share : {0.35, 0.5, 0.7, 0.9}) {
    const std::string limit = "operation.power_limit=" + std::to_string(full * share) + "W";
    for (const char* rule : {"service_first", "training_first"}) {
      const OperationAnswer answer =
          answer_of({limit, std::string("operation.rule=") + rule, "operation.service=[0.3, 0.1, 0.8]"});
      for (const OperationHour& hour : answer.asked.hours) {
        EXPECT_LE(hour.power.si(), hour.cap.si() * (1 + 1e-9)) << share << rule;
        // One replica or one device more would break the cap, or there is none.
        const bool all = hour.training_devices + hour.service_devices > 256 - 8;
        const SitePower power(plan, answer.settings, 1);  // computing all the time draws most
        EXPECT_TRUE(all || hour.replicas == 32 ||
                    power.draw(static_cast<double>(hour.training_devices + 8),
                               static_cast<double>(hour.service_devices))
                            .si() > hour.cap.si())
            << share << rule;
      }
    }
  }
}

TEST(Operation, SlowDevicesTrainMoreUnderACap) {
  const double full = study_operation(day_plan()).full_power.si();
  for (const double share : {0.4, 0.5, 0.6, 0.7, 0.9}) {
    const std::string limit = "operation.power_limit=" + std::to_string(full * share) + "W";
    const OperationDay slow = answer_of({limit}).asked;
    const OperationDay stopped = answer_of({limit, "operation.slow_devices=false"}).asked;
    EXPECT_LE(slow.hours[0].power.si(), slow.hours[0].cap.si() * (1 + 1e-9)) << share;
    EXPECT_GE(slow.speed, stopped.speed) << share;
    if (stopped.speed < 1) {
      EXPECT_GT(slow.speed, stopped.speed) << share;
    }
    EXPECT_DOUBLE_EQ(stopped.hours[0].clock, 1);
  }
  // What draws as much a unit of work at any clock is stopped: idling costs nothing more.
  const OperationDay even = answer_of({"operation.power_limit=" + std::to_string(full * 0.5) + "W",
                                       "operation.clock_exponent=1", "operation.least_clock=0.9"})
                                .asked;
  EXPECT_LE(even.hours[0].power.si(), full * 0.5 * (1 + 1e-9));
}

TEST(Operation, ClocksActOnComputingAlone) {
  const Plan plan = day_plan();
  OperationInput settings;
  settings.compute_power = 0.8;
  settings.transfer_power = 0.4;
  settings.idle_power = 0.2;
  settings.clock_exponent = 3;
  const SitePower power(plan, settings, 0.6);
  // A step of 0.6 + 0.4 takes 0.6 / 0.5 + 0.4 at half the clock: computing for 1.2 of 1.6 at 0.2 + 0.6 / 8.
  EXPECT_DOUBLE_EQ(power.speed_at(1), 1);
  EXPECT_DOUBLE_EQ(power.speed_at(0.5), 1 / 1.6);
  const double extra = power.draw(256, 0, 0.5).si() - power.draw(0, 0).si();
  const double usual = power.draw(256, 0).si() - power.draw(0, 0).si();
  EXPECT_NEAR(extra / usual, (0.75 * 0.275 + 0.25 * 0.4 - 0.2) / (0.6 * 0.8 + 0.4 * 0.4 - 0.2), 1e-12);
}

TEST(Operation, TrainingThatWaitsMeetsMoreFailures) {
  // Servers that fail are not back for a year: what trains by half loses more of them until it is through.
  const OperationAnswer answer =
      answer_of({"operation.service=[0.5]", "resilience.shrink=true", "resilience.least_replicas=0.01",
                 "catalog.failures.slow={based_on=\"default\",source=\"a test\",repair=\"400 days\"}",
                 "resilience.failures=slow", "resilience.period=\"1 days\""});
  const OperationDay& alone = answer.others.front();
  EXPECT_DOUBLE_EQ(answer.asked.speed, 0.5);
  EXPECT_GT(*answer.asked.days / *alone.days, 2.005);
}

TEST(Operation, PausingTradesDaysForMoney) {
  const OperationAnswer answer = answer_of({"operation.prices_usd_per_mwh=[20, 200]"});
  ASSERT_EQ(answer.pauses.size(), 2U);
  EXPECT_DOUBLE_EQ(answer.pauses[0].speed, 0.5);
  EXPECT_DOUBLE_EQ(answer.pauses[1].speed, 1);
  EXPECT_NEAR(*answer.pauses[0].days / *answer.pauses[1].days, 2, 1e-3);
  EXPECT_LT(answer.pauses[0].energy_cost.si(), answer.pauses[1].energy_cost.si());
  const double mwh = answer.training_power.si() * 86400 / 3.6e9;
  EXPECT_NEAR(answer.pauses[1].energy_cost.si(), mwh * 110, 1e-6 * mwh * 110);
  const OperationAnswer never =
      answer_of({"operation.prices_usd_per_mwh=[20, 200]", "operation.pause_above_usd_per_mwh=10"});
  EXPECT_FALSE(never.asked.days);
  EXPECT_FALSE(never.asked.cost);
}

TEST(Operation, StoresAreTheTriangleBelowTheRamp) {
  // 6 MW at 1 MW a second take 6 s: 18 MJ; summed in small parts.
  EXPECT_DOUBLE_EQ(store_for(Watts(6e6), Watts(1e6)).si(), 18e6);
  double sum = 0;
  constexpr double kPart_s = 1e-4;
  for (double at = kPart_s / 2; at < 6; at += kPart_s) sum += (6e6 - 1e6 * at) * kPart_s;
  EXPECT_NEAR(sum, 18e6, 1e-3 * 18e6);
  const OperationAnswer answer = answer_of({"operation.ramp_limit=\"60 kW\""});
  for (const PowerSwing& swing : answer.swings) {
    ASSERT_TRUE(swing.store);
    const double change = std::abs((swing.from - swing.to).si());
    const double ramp_s = change / 1000;
    const double expected = ramp_s > swing.over.si() ? change * (ramp_s - swing.over.si()) / 2 : 0;
    if (swing.what.starts_with("training"))
      EXPECT_NEAR(swing.store->si(), expected, 1e-6 * (1 + expected)) << swing.what;
    else  // it is over before the ramp is
      EXPECT_LE(swing.store->si(), expected) << swing.what;
  }
}

/// Of a step whose devices compute in some spans more than in others.
struct Spans {
  std::vector<double> compute;
  double total_s = 8;

  std::vector<PowerSwing> swings(const SitePower& power, std::optional<Watts> limit = std::nullopt) const {
    StepTimeline step;
    step.total = Seconds(total_s);
    step.step = Seconds(total_s / 2);  // two were simulated
    for (const double share : compute) {
      step.busy_in_time.push_back({.compute = share});
      step.busy.compute += share / static_cast<double>(compute.size());
    }
    return swings_of({.power = power,
                      .step = step,
                      .limit_per_minute = limit,
                      .checkpoint_stall = Seconds(20),
                      .checkpoint_interval = Seconds(580),
                      .trains = 0.5,
                      .failures_per_day = 6,
                      .stops_per_day = 2});
  }
};

TEST(Swings, AreThoseOfTheStepsPower) {
  const Plan plan = day_plan();
  const OperationInput settings;
  const SitePower power(plan, settings, 1);
  for (const Spans& spans :
       {Spans{{0.1, 0.9, 0.5, 0.4}}, Spans{{0.9, 0.4, 0.1, 0.5, 0.5}}, Spans{{1, 0}, 3}}) {
    const std::vector<PowerSwing> swings = spans.swings(power);
    ASSERT_EQ(swings.size(), 4U);
    const auto [low, high] = std::minmax_element(spans.compute.begin(), spans.compute.end());
    EXPECT_EQ(swings[0].from, power.of_step(*high));
    EXPECT_EQ(swings[0].to, power.of_step(*low));
    const double each_s = spans.total_s / static_cast<double>(spans.compute.size());
    EXPECT_NEAR(swings[0].over.si(), std::abs(static_cast<double>(high - low)) * each_s, 1e-12);
    EXPECT_NEAR(swings[0].per_day, 0.5 * 86400 / (spans.total_s / 2), 1e-9);
    // Every 10 minutes of training; stops of failures while it trains, and others.
    EXPECT_NEAR(swings[1].per_day, 0.5 * 86400 / 600, 1e-9);
    EXPECT_NEAR(swings[2].per_day, 0.5 * 6 + 2, 1e-9);
    EXPECT_EQ(swings[3].per_day, swings[2].per_day);
    for (const PowerSwing& swing : swings) EXPECT_FALSE(swing.store);
    EXPECT_EQ(swings[3].from, swings[2].to);
    EXPECT_EQ(swings[3].to, swings[2].from);
  }
  EXPECT_EQ(Spans{{0.5}}.swings(power).size(), 3U);  // one span has no swing
}

/// A ramp that no day is long enough for: what is left is a store that evens out a whole step, as large as
/// the most that any run of spans takes or leaves, or that carries a checkpoint's whole stall.
TEST(Swings, StoresAreNeverLargerThanOneThatLeavesPowerAsItIs) {
  const Plan plan = day_plan();
  const OperationInput settings;
  const SitePower power(plan, settings, 1);
  for (const Spans& spans : {Spans{{0.1, 0.9, 0.5, 0.4}}, Spans{{0.9, 0.9, 0.1, 0.1, 0.7}},
                             Spans{{0, 0, 1}, 3}, Spans{{1, 0, 1, 0}}}) {
    const std::vector<PowerSwing> swings = spans.swings(power, Watts(1e-9));
    double mean = 0;
    for (const double share : spans.compute)
      mean += power.of_step(share).si() / static_cast<double>(spans.compute.size());
    double most = 0;
    for (std::size_t first = 0; first < spans.compute.size(); ++first) {
      double run = 0;
      for (std::size_t i = first; i < spans.compute.size(); ++i) {
        run += (power.of_step(spans.compute[i]).si() - mean) * spans.total_s /
               static_cast<double>(spans.compute.size());
        most = std::max(most, std::abs(run));
      }
    }
    EXPECT_NEAR(swings[0].store->si(), most, 1e-9 * most);
    EXPECT_NEAR(swings[1].store->si(), 20 * (swings[1].from - swings[1].to).si(), 1e-6);
    // A store is smaller the faster power may change, and none is needed where it may as fast as it does.
    double before = most;
    for (double limit = 1e3; limit < 1e12; limit *= 4) {
      const double store = spans.swings(power, Watts(limit))[0].store->si();
      EXPECT_LE(store, before);
      before = store;
    }
    EXPECT_EQ(before, 0);
  }
}

TEST(Operation, CheckpointsTakeTheirShareOfTheNetwork) {
  const std::vector<std::string> slow = {"resilience.write_time=\"10 s\"", "resilience.interval=\"20 s\""};
  const OperationAnswer answer = answer_of(slow);
  const CheckpointTraffic& beside = answer.checkpoint;
  EXPECT_NEAR(beside.rate_share, beside.bytes.si() / 10 / 256 / 50e9, 1e-9);
  // Both steps are simulated ones, as far apart as the plan's closed forms.
  const Plan plan = day_plan(slow);
  const Seconds closed = step_at_rate(plan)(1 - beside.rate_share);
  EXPECT_GT(closed, plan.step.step);
  EXPECT_NEAR(beside.step / answer.step, closed / plan.step.step, 1e-12);
  std::vector<std::string> apart = slow;
  apart.emplace_back("operation.checkpoints_share_network=false");
  const OperationAnswer alone = answer_of(apart);
  EXPECT_EQ(alone.checkpoint.slowdown, 0);
  EXPECT_EQ(alone.checkpoint.step, alone.step);
}

TEST(Operation, CheckpointsInsideServersLeaveTheNetworkToTraining) {
  // Only every tenth goes over it, to a file system of 2 GB/s.
  for (const char* tier : {"host_memory", "local_disk"}) {
    const OperationAnswer answer =
        answer_of({std::string("resilience.checkpoint=") + tier, "resilience.interval=\"20 s\"",
                   "resilience.file_rate=\"2 GB/s\""});
    const CheckpointTraffic& backup = answer.checkpoint;
    EXPECT_TRUE(backup.backups) << tier;
    EXPECT_NEAR(backup.interval.si(), 200, 1e-9) << tier;
    EXPECT_NEAR(backup.write.si(), backup.bytes.si() / 2e9, 1e-9) << tier;
    EXPECT_NEAR(backup.rate_share, 2e9 / 256 / 50e9, 1e-12) << tier;
  }
  const CheckpointTraffic neighbour = answer_of({"resilience.checkpoint=neighbour"}).checkpoint;
  EXPECT_FALSE(neighbour.backups);
  EXPECT_GT(neighbour.rate_share, 0.1);
}

TEST(Operation, SaysWhatCannotBe) {
  EXPECT_THROW(answer_of({"operation.caps=[0.05]"}), Infeasible);
  EXPECT_THROW(answer_of({"resilience.restart=\"3000 h\""}), Infeasible);
  EXPECT_THROW(answer_of({"operation.service=[0, 1.5]"}), InputError);
  EXPECT_THROW(answer_of({"operation.idle_power=0.9"}), InputError);
  OperationInput curves;
  curves.service.assign(1439, 0);
  curves.caps.assign(1440, 1);
  EXPECT_THROW(parts_of_day(curves), InputError);
  std::swap(curves.caps, curves.weekend_caps);
  EXPECT_THROW(parts_of_day(curves), InputError);
  std::swap(curves.caps, curves.weekend_caps);
  curves.service.assign(24, 0);
  curves.caps.assign(48, 1);
  EXPECT_EQ(parts_of_day(curves), 48U);
}

}  // namespace
}  // namespace trainyard
