#include "trainyard/report/operation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "report/data/goodput_words.h"
#include "report/data/show.h"
#include "trainyard/operation.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kDay_s = 86400;

/// Within its day, whose end is 24:00.
std::string clock_text(Seconds at, Seconds midnight) {
  const auto minutes = std::lround((at - midnight).si() / 60);
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

bool goes_on(const OperationHour& a, const OperationHour& b) {
  return a.replicas == b.replicas && a.service_devices == b.service_devices &&
         a.service_wanted == b.service_wanted && a.clock == b.clock && a.price == b.price && a.cap == b.cap &&
         b.changing.si() == 0;
}

Watts mean_power(const std::vector<OperationHour>& hours, std::size_t from, std::size_t to) {
  double joules = 0;
  for (std::size_t i = from; i < to; ++i) joules += hours[i].power.si() * (hours[i].to - hours[i].from).si();
  return Watts(joules / (hours[to - 1].to - hours[from].from).si());
}

/// Of one day. Parts in which nothing changes are one row.
std::string hours_of_day(const char* title, const std::vector<OperationHour>& hours) {
  const bool slowed =
      std::any_of(hours.begin(), hours.end(), [](const OperationHour& h) { return h.clock < 1; });
  const Seconds midnight = hours.front().from;
  std::string out = fmt::format("\n{:<15} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}{}\n", title, "replicas",
                                "training", "other", "wanted", "power", "$/MWh", slowed ? " clock" : "");
  for (std::size_t i = 0; i < hours.size();) {
    std::size_t end = i + 1;
    while (end < hours.size() && goes_on(hours[end - 1], hours[end])) ++end;
    const OperationHour& h = hours[i];
    out += fmt::format("   {}-{:<6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}{}\n", clock_text(h.from, midnight),
                       clock_text(hours[end - 1].to, midnight), grouped(h.replicas),
                       grouped(h.training_devices), grouped(h.service_devices), grouped(h.service_wanted),
                       show(mean_power(hours, i, end)), fixed(h.price.si() * kJoulesOfMwh, 2),
                       slowed ? fmt::format(" {:>4.0f}%", 100 * h.clock) : "");
    i = end;
  }
  return out;
}

/// Of a week two days that follow one alike stand for all.
std::string hours_part(const OperationAnswer& a) {
  const std::vector<OperationHour>& hours = a.asked.hours;
  if (a.period.si() <= kDay_s) return hours_of_day("Hours", hours);
  const auto day = [&](std::ptrdiff_t number) {
    const std::ptrdiff_t parts = std::ssize(hours) / 7;
    const auto begin = hours.begin() + number * parts;
    return std::vector<OperationHour>(begin, begin + parts);
  };
  return hours_of_day("Monday-Friday", day(1)) + hours_of_day("Saturday, Sunday", day(6));
}

std::string day_row(const OperationDay& day) {
  return fmt::format("   {:<18} {:>10} {:>7} {:>10} {:>11} {:>9} {:>9}\n", day.name,
                     day.days ? show(*day.days) : "never", show_share(day.speed), show(day.energy_cost),
                     show(day.service_income), show(day.idle_power), day.cost ? show(*day.cost) : "");
}

std::string days_part(const OperationAnswer& a) {
  std::string out = fmt::format("\n{:<21} {:>10} {:>7} {:>10} {:>11} {:>9} {:>9}\n", "Rules", "to train",
                                "speed", "energy/day", "income/day", "idle", "net cost");
  out += day_row(a.asked);
  for (const OperationDay& day : a.others) out += day_row(day);
  if (a.pauses.empty()) return out;
  out += "Training only up to a price of energy, $/MWh\n";
  for (const OperationDay& day : a.pauses) out += day_row(day);
  return out;
}

std::string swings_part(const OperationAnswer& a) {
  std::string out = fmt::format("\n{:<29} {:>9} {:>9} {:>9} {:>8} {:>10}\n", "Swings of power", "from", "to",
                                "within", "a day", "store");
  for (const PowerSwing& s : a.swings)
    out += fmt::format("   {:<26} {:>9} {:>9} {:>9} {:>8} {:>10}\n", s.what, show(s.from), show(s.to),
                       show(s.over), grouped_or(3, s.per_day), s.store ? show(*s.store) : "no limit");
  return out;
}

std::string checkpoint_part(const OperationAnswer& a) {
  const CheckpointTraffic& c = a.checkpoint;
  return fmt::format(
      "\n{}: {} in {}, every {}; meanwhile {} of the scale-out rate, a step of\n"
      "{} in place of {}; training {:.3f}% slower\n",
      c.backups ? "Backups of checkpoints" : "Checkpoints", show(c.bytes), show(c.write), show(c.interval),
      show_share(c.rate_share), show(c.step), show(a.step), 100 * c.slowdown);
}

std::string training_part(const OperationAnswer& a) {
  if (a.asked.days)
    return fmt::format("   {} to train, {} of that useful; {} on all devices all day without failures\n",
                       show(*a.asked.days), show_share(a.goodput), show(a.ideal));
  return fmt::format(
      "   training never ends: {}; {} on all devices all day without failures\n",
      a.asked.speed > 0 ? "`trainyard goodput` says why" : "other work, caps and prices leave it no replicas",
      show(a.ideal));
}

}  // namespace

std::string operation_text(const Scenario& scenario, const OperationAnswer& a) {
  std::string out = fmt::format("{}\n\n{}, {} of {}; {} of {} at full power, {} in training\n",
                                scenario.title, counted(grouped(a.devices), "device"),
                                counted(grouped(a.replicas), "replica"), grouped(a.replica_devices),
                                show(a.power_limit), show(a.full_power), show(a.training_power));
  out += training_part(a);
  if (const std::string words = failures_of_hours_words(scenario, a); !words.empty())
    out += "   " + words + "\n";
  if (a.earned_usd_per_mwh)
    out += fmt::format("   other work earns ${} a MWh beyond idling, energy paid\n",
                       fixed(*a.earned_usd_per_mwh, 2));
  return out + hours_part(a) + days_part(a) + swings_part(a) + checkpoint_part(a);
}

}  // namespace trainyard
