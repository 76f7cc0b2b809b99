// The answer of `trainyard operate`.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "operation/checkpoint_traffic.h"
#include "operation/day.h"
#include "operation/site_power.h"
#include "operation/swings.h"
#include "trainyard/goodput.h"
#include "trainyard/operation.h"
#include "trainyard/plan.h"
#include "trainyard/step.h"
#include "trainyard/step_at_rate.h"

namespace trainyard {
namespace operation {
namespace {

double capital_per_second(const Plan& plan) {
  const double duration_s = plan.step.days_to_train.si();
  return duration_s > 0 ? plan.cost.capital_cost.si() / duration_s : 0;
}

DayCase day_case(const Plan& plan, const OperationInput& settings, const SitePower& power) {
  const MappingPlan& m = plan.mapping;
  DayCase c{.power = power,
            .settings = settings,
            .power_limit = settings.power_limit.value_or(power.full()),
            .flat_price = plan.cost.electricity_price,
            .ideal = plan.step.days_to_train};
  c.devices = plan.facility.devices;
  c.replicas = m.data;
  c.replica_devices = m.devices_used / m.data;
  c.capital_usd_per_s = capital_per_second(plan);
  return c;
}

const char* name_of(OperationRule rule) {
  return rule == OperationRule::service_first ? "service first" : "training first";
}

void add_days(OperationAnswer& answer, const DayCase& c) {
  const OperationInput& s = answer.settings;
  const auto day = [&](OperationRule rule, bool with_service, std::optional<double> pause, std::string name) {
    return plan_day(c, rule, with_service, pause, std::move(name));
  };
  const OperationRule other =
      s.rule == OperationRule::service_first ? OperationRule::training_first : OperationRule::service_first;
  answer.asked = day(s.rule, true, s.pause_above_usd_per_mwh, name_of(s.rule));
  answer.others.push_back(day(s.rule, false, s.pause_above_usd_per_mwh, "training alone"));
  answer.others.push_back(day(other, true, s.pause_above_usd_per_mwh, name_of(other)));
  std::set<double> prices(s.prices_usd_per_mwh.begin(), s.prices_usd_per_mwh.end());
  prices.insert(s.weekend_prices_usd_per_mwh.begin(), s.weekend_prices_usd_per_mwh.end());
  for (const double price : prices)
    answer.pauses.push_back(day(s.rule, true, price, fmt::format("{:g}", price)));
}

/// Of the time in which training goes on as asked; where it never ends so, of training alone.
double useful_share(const OperationAnswer& answer, const TrainingForm& alone) {
  if (!answer.asked.days) return alone.useful;
  return answer.ideal.si() * (1 + answer.checkpoint.slowdown) / answer.asked.speed / answer.asked.days->si();
}

std::optional<double> earned_per_mwh(const OperationDay& day) {
  if (day.service_energy.si() <= 0) return std::nullopt;
  return (day.service_income - day.service_energy_cost).si() / (day.service_energy.si() / kJoulesOfMwh);
}

/// By failures, and as planned.
double stops_per_s(const GoodputCase& failures, const GoodputForm& form) {
  return std::accumulate(failures.modes.begin(), failures.modes.end(), form.interruptions_per_s,
                         [](double sum, const FailureMode& mode) {
                           return sum + (mode.cause == FailureCause::planned ? mode.rate_per_s : 0);
                         });
}

}  // namespace
}  // namespace operation

OperationAnswer study_operation(const Plan& plan) {
  using namespace operation;
  OperationAnswer answer;
  answer.settings = plan.scenario.operation.value_or(OperationInput{});
  const StepTimeline step = simulate_step(plan).timeline;
  const SitePower power(plan, answer.settings, step.busy.compute);
  DayCase c = day_case(plan, answer.settings, power);
  const StepAtRate step_at = step_at_rate(plan);
  GoodputCase failures = goodput_case(plan, step_at);
  const TrainingForm alone = training_form(failures, c.ideal);
  // Who did not ask for failures is answered: training never ends.
  if (plan.scenario.resilience) require_end(alone, "training alone");
  failures.interval = alone.form.interval;
  answer.checkpoint = checkpoint_traffic(plan, failures, alone.form.interval, step.step, step_at,
                                         answer.settings.checkpoints_share_network);
  c.with_failures = [&](Seconds time) {
    return training_form(failures, time * (1 + answer.checkpoint.slowdown)).time;
  };
  answer.devices = c.devices;
  answer.replicas = c.replicas;
  answer.replica_devices = c.replica_devices;
  answer.power_limit = c.power_limit;
  answer.full_power = power.full();
  answer.training_power = power.draw(static_cast<double>(c.replicas * c.replica_devices), 0);
  answer.ideal = c.ideal;
  answer.period = period_of(answer.settings);
  add_days(answer, c);
  answer.goodput = useful_share(answer, alone);
  answer.endless =
      answer.asked.days &&
      training_form(failures, c.ideal * ((1 + answer.checkpoint.slowdown) / answer.asked.speed)).endless;
  answer.earned_usd_per_mwh = earned_per_mwh(answer.asked);
  answer.step = step.step;
  answer.step_power = power_of_step(power, step);
  answer.swings =
      swings_of({power, step, answer.settings.ramp_limit, failures.stall, alone.form.interval,
                 answer.asked.trains, stops_per_s(failures, alone.form) * kDay_s, answer.asked.stops});
  return answer;
}

}  // namespace trainyard
