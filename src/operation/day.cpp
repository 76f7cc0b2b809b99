#include "operation/day.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trainyard/errors.h"

namespace trainyard::operation {
namespace {

constexpr std::size_t kMostParts = 1440;
constexpr double kRounding = 1e-9;

constexpr std::size_t kDaysOfWeek = 7;
constexpr std::size_t kSaturday = 5;

/// What a curve says in a part of a day.
class Curve {
 public:
  Curve(const std::vector<double>& weekdays, const std::vector<double>& weekend, double otherwise)
      : weekdays_(weekdays), weekend_(weekend), otherwise_(otherwise) {}

  double at(std::size_t day, std::size_t part, std::size_t parts) const {
    const std::vector<double>& curve = day >= kSaturday && !weekend_.empty() ? weekend_ : weekdays_;
    return curve.empty() ? otherwise_ : curve[part * curve.size() / parts];
  }

 private:
  const std::vector<double>& weekdays_;
  const std::vector<double>& weekend_;
  double otherwise_;
};

std::int64_t whole_devices(double devices) {
  return static_cast<std::int64_t>(std::floor(devices + kRounding));
}

/// Who has what in one part of the day.
class Division {
 public:
  Division(const DayCase& c, OperationRule rule, Watts cap) : c_(c), rule_(rule), cap_(cap) {}

  void divide(OperationHour& hour, bool may_train) const {
    if (rule_ == OperationRule::service_first) serve(hour, 0);
    if (may_train) train(hour);
    if (rule_ == OperationRule::training_first) serve(hour, static_cast<double>(hour.training_devices));
  }

 private:
  void serve(OperationHour& hour, double training) const {
    hour.service_devices =
        std::min(hour.service_wanted, whole_devices(c_.power.most_service(cap_, training, hour.clock)));
  }

  /// Whole replicas that train at this clock; none below the least.
  std::int64_t replicas_at(const OperationHour& hour, double clock) const {
    const double most = c_.power.most_training(cap_, static_cast<double>(hour.service_devices), clock);
    const std::int64_t replicas = std::min(c_.replicas, whole_devices(most) / c_.replica_devices);
    const double least = c_.settings.least_replicas * static_cast<double>(c_.replicas);
    return static_cast<double>(replicas) < least - kRounding ? 0 : replicas;
  }

  void train(OperationHour& hour) const {
    hour.replicas = replicas_at(hour, 1);
    const std::int64_t devices = c_.devices - hour.service_devices;
    if (c_.settings.slow_devices && hour.replicas < std::min(c_.replicas, devices / c_.replica_devices))
      slow(hour);
    hour.training_devices = hour.replicas * c_.replica_devices;
  }

  /// More replicas at the clock at which all of them together train most; the highest of those.
  void slow(OperationHour& hour) const {
    constexpr int kClocks = 50;
    const double lowest = c_.settings.least_clock;
    double best = static_cast<double>(hour.replicas);
    for (int step = 1; step <= kClocks; ++step) {
      const double clock = 1 - (1 - lowest) * step / kClocks;
      const std::int64_t replicas = replicas_at(hour, clock);
      const double speed = static_cast<double>(replicas) * c_.power.speed_at(clock);
      if (speed <= best * (1 + kRounding)) continue;
      best = speed;
      hour.replicas = replicas;
      hour.clock = clock;
    }
  }

  const DayCase& c_;
  OperationRule rule_;
  Watts cap_;
};

void check_cap(const DayCase& c, const OperationHour& hour) {
  const Watts idle = c.power.draw(0, 0);
  if (hour.cap >= idle) return;
  throw Infeasible(
      "the site stays below its cap",
      fmt::format("at {} idle devices draw {:.3g} MW of {:.3g} MW",
                  operation_moment(hour.from, period_of(c.settings)), idle.si() / 1e6, hour.cap.si() / 1e6),
      "a higher operation.power_limit or operation.caps, or a lower operation.idle_power");
}

/// Training stands still where replicas come or go, for no longer than the part lasts.
void add_changes(OperationDay& day, Seconds change_time) {
  const std::size_t parts = day.hours.size();
  for (std::size_t part = 0; part < parts; ++part) {
    OperationHour& hour = day.hours[part];
    const std::int64_t before = day.hours[(part + parts - 1) % parts].replicas;
    if (hour.replicas == before) continue;
    ++day.changes;
    if (hour.replicas > 0) hour.changing = std::min(change_time, hour.to - hour.from);
    if (before > 0 && (hour.replicas == 0 || hour.changing.si() > 0)) ++day.stops;
  }
}

void to_mean_day(OperationDay& day, double share) {
  day.changes *= share;
  day.stops *= share;
  day.energy = day.energy * share;
  day.energy_cost = day.energy_cost * share;
  day.service_wanted_h *= share;
  day.service_served_h *= share;
  day.service_energy = day.service_energy * share;
  day.service_energy_cost = day.service_energy_cost * share;
}

void sum_up(OperationDay& day, const DayCase& c) {
  const double period_s = period_of(c.settings).si();
  double unused_j = 0;
  for (OperationHour& hour : day.hours) {
    const double seconds = (hour.to - hour.from).si();
    const double working = seconds > 0 ? 1 - hour.changing.si() / seconds : 0;
    const double training = static_cast<double>(hour.training_devices) * working;
    const double service = static_cast<double>(hour.service_devices);
    hour.power = c.power.draw(training, service, hour.clock);
    const double replicas = static_cast<double>(hour.replicas) / static_cast<double>(c.replicas);
    if (hour.replicas > 0) day.trains += working * seconds / period_s;
    day.speed += working * seconds / period_s * replicas * c.power.speed_at(hour.clock);
    const Joules energy(hour.power.si() * seconds);
    day.energy += energy;
    day.energy_cost += Usd(energy.si() * hour.price.si());
    day.service_wanted_h += static_cast<double>(hour.service_wanted) * seconds / 3600;
    day.service_served_h += service * seconds / 3600;
    const Joules service_energy((c.power.draw(0, service) - c.power.draw(0, 0)).si() * seconds);
    day.service_energy += service_energy;
    day.service_energy_cost += Usd(service_energy.si() * hour.price.si());
    unused_j += std::max(0.0, hour.cap.si() * seconds - energy.si());
  }
  day.idle_power = Watts(unused_j / period_s);
  to_mean_day(day, kDay_s / period_s);
  day.service_income = Usd(c.settings.service_hour.si() * day.service_served_h);
  if (day.speed > 0) day.days = c.with_failures(c.ideal / day.speed);
  if (!day.days) return;
  const double days = day.days->si() / kDay_s;
  day.cost =
      Usd(days * (day.energy_cost.si() - day.service_income.si()) + c.capital_usd_per_s * day.days->si());
}

}  // namespace

Seconds period_of(const OperationInput& s) {
  const bool alike =
      s.weekend_service.empty() && s.weekend_prices_usd_per_mwh.empty() && s.weekend_caps.empty();
  return Seconds(alike ? kDay_s : kDay_s * kDaysOfWeek);
}

std::size_t parts_of_day(const OperationInput& settings) {
  const std::vector<double>* curves[] = {
      &settings.service,         &settings.prices_usd_per_mwh,         &settings.caps,
      &settings.weekend_service, &settings.weekend_prices_usd_per_mwh, &settings.weekend_caps};
  std::size_t parts = 1;
  std::string lengths;
  for (const std::vector<double>* curve : curves) {
    if (curve->empty()) continue;
    lengths += fmt::format("{}{}", lengths.empty() ? "" : ", ", curve->size());
    if (parts <= kMostParts) parts = std::lcm(parts, curve->size());
  }
  if (parts > kMostParts)
    fail_input(whole("operation"), fmt::format("curves of {} parts have no common part of a minute", lengths),
               "lengths that divide one another, as 24 and 48");
  return parts;
}

OperationDay plan_day(const DayCase& c, OperationRule rule, bool with_service,
                      std::optional<double> pause_above, std::string name) {
  OperationDay day;
  day.name = std::move(name);
  const OperationInput& s = c.settings;
  const Curve caps(s.caps, s.weekend_caps, 1);
  const Curve prices(s.prices_usd_per_mwh, s.weekend_prices_usd_per_mwh, c.flat_price.si() * kJoulesOfMwh);
  const Curve service(s.service, s.weekend_service, 0);
  const std::size_t parts = parts_of_day(s);
  const auto days = static_cast<std::size_t>(period_of(s).si() / kDay_s);
  const double part_s = kDay_s / static_cast<double>(parts);
  for (std::size_t i = 0; i < days * parts; ++i) {
    OperationHour hour;
    hour.from = Seconds(part_s * static_cast<double>(i));
    hour.to = Seconds(part_s * static_cast<double>(i + 1));
    hour.cap = c.power_limit * caps.at(i / parts, i % parts, parts);
    const double usd_per_mwh = prices.at(i / parts, i % parts, parts);
    hour.price = UsdPerJoule(usd_per_mwh / kJoulesOfMwh);
    if (with_service)
      hour.service_wanted =
          whole_devices(service.at(i / parts, i % parts, parts) * static_cast<double>(c.devices));
    check_cap(c, hour);
    Division(c, rule, hour.cap).divide(hour, !pause_above || usd_per_mwh <= *pause_above);
    day.hours.push_back(hour);
  }
  add_changes(day, s.change_time);
  sum_up(day, c);
  return day;
}

}  // namespace trainyard::operation

namespace trainyard {

std::string operation_moment(Seconds at, Seconds period) {
  constexpr const char* kNames[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};
  const auto minutes = std::lround(at.si() / 60);
  constexpr long kDay_min = 1440;
  const char* day = period.si() > operation::kDay_s ? kNames[minutes / kDay_min % 7] : "";
  return fmt::format("{}{:02}:{:02}", day, minutes % kDay_min / 60, minutes % 60);
}

}  // namespace trainyard
