#include "siting/grid_import/hourly.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>

namespace trainyard::grid_import {
namespace {

constexpr double kMostOfMedian = 5;  // El Centro's (IID) hottest hour has 3.4 medians
constexpr double kMostOfInstalled = 1.1;
// A series that leaps up and back down within hours did not: demand turns by some percent an hour.
constexpr double kLeapOfAnHour = 1.15;
constexpr double kLeapOfHours = 1.5;
constexpr std::size_t kMostLeapHours = 6;
constexpr double kErrorsAreRarerThan = 0.01;  // of hours
constexpr double kFiguresAgreeWithin = 2;
constexpr int kHoursOfDay = 24;

using Series = std::optional<double> Hour::*;

std::vector<double> positive_values(const std::vector<Hour>& hours, Series series) {
  std::vector<double> values;
  for (const Hour& hour : hours)
    if (hour.*series && *(hour.*series) > 0) values.push_back(*(hour.*series));
  return values;
}

/// Empties what is not in (0, limit]; returns how many.
std::size_t drop(std::vector<Hour>& hours, Series series, std::optional<double> limit) {
  std::size_t dropped = 0;
  for (Hour& hour : hours) {
    std::optional<double>& value = hour.*series;
    if (!value || (*value > 0 && (!limit || *value <= *limit))) continue;
    value.reset();
    ++dropped;
  }
  return dropped;
}

/// The value `offset` hours from hours[i]; empty where the hour or its value is missing.
std::optional<double> value_beside(const std::vector<Hour>& hours, std::size_t i, std::ptrdiff_t offset,
                                   Series series) {
  const auto at = static_cast<std::ptrdiff_t>(i) + offset;
  if (at < 0 || at >= static_cast<std::ptrdiff_t>(hours.size())) return std::nullopt;
  const Hour& hour = hours[static_cast<std::size_t>(at)];
  if (hour.utc_hour != hours[i].utc_hour + offset) return std::nullopt;
  return hour.*series;
}

/// Length of a leap that begins with hours[i]: all of it stands that far above the hour before and the hour
/// after. 0: none.
std::size_t leap_at(const std::vector<Hour>& hours, std::size_t i, Series series) {
  const auto before = value_beside(hours, i, -1, series);
  if (!before) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t length = 1; length <= kMostLeapHours; ++length) {
    const auto last = value_beside(hours, i, static_cast<std::ptrdiff_t>(length) - 1, series);
    const auto after = value_beside(hours, i, static_cast<std::ptrdiff_t>(length), series);
    if (!last) return 0;
    least = std::min(least, *last);
    const double leap = length == 1 ? kLeapOfAnHour : kLeapOfHours;
    if (after && least > leap * std::max(*before, *after)) return length;
  }
  return 0;
}

std::size_t drop_leaps(std::vector<Hour>& hours, Series series) {
  const std::vector<Hour> reported = hours;
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < reported.size();) {
    const std::size_t length = leap_at(reported, i, series);
    for (std::size_t hour = i; hour < i + length; ++hour) (hours[hour].*series).reset();
    dropped += length;
    i += std::max<std::size_t>(length, 1);
  }
  return dropped;
}

std::size_t drop_spikes(std::vector<Hour>& hours, Series series) {
  const std::vector<double> values = positive_values(hours, series);
  if (values.empty()) return drop(hours, series, std::nullopt);
  const std::size_t dropped = drop(hours, series, kMostOfMedian * median(values));
  return dropped + drop_leaps(hours, series);
}

bool often_above(const std::vector<Hour>& hours, Series series, double limit) {
  const std::vector<double> values = positive_values(hours, series);
  const auto above = std::count_if(values.begin(), values.end(), [&](double value) { return value > limit; });
  return static_cast<double>(above) > kErrorsAreRarerThan * static_cast<double>(values.size());
}

std::optional<double> most(const std::vector<Hour>& hours, Series series) {
  std::optional<double> most;
  for (const Hour& hour : hours)
    if (hour.*series && (!most || *(hour.*series) > *most)) most = hour.*series;
  return most;
}

void measure(HourlyFigures& f, const std::vector<Hour>& hours) {
  double sum = 0;
  std::size_t count = 0;
  for (const Hour& hour : hours) {
    if (hour.demand_mw) {
      sum += *hour.demand_mw;
      ++count;
      if (!f.peak_demand_mw || *hour.demand_mw > *f.peak_demand_mw) {
        f.peak_demand_mw = hour.demand_mw;
        f.peak_utc_hour = hour.utc_hour;
      }
    }
    if (!hour.demand_mw || !hour.generation_mw) continue;
    const double surplus = *hour.generation_mw - *hour.demand_mw;
    f.same_hour_mw = std::max(f.same_hour_mw.value_or(surplus), surplus);
  }
  if (count > 0) f.mean_demand_mw = sum / static_cast<double>(count);
  f.peak_generation_mw = most(hours, &Hour::generation_mw);
  if (f.peak_demand_mw && f.peak_generation_mw) f.peaks_apart_mw = *f.peak_generation_mw - *f.peak_demand_mw;
}

/// Numbers of a text such as "01/31/2024 5:00:00 PM", as far as there are any.
std::vector<int> numbers_in(std::string_view text) {
  std::vector<int> numbers;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    int number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    const bool is_number = error == std::errc() && *at != '-';
    if (is_number) numbers.push_back(number);
    at = is_number ? end : at + 1;
  }
  return numbers;
}

/// Hour of the day from 0 to 23, of a clock with or without AM and PM.
std::optional<int> hour_of_day(int hour, bool am, bool pm) {
  constexpr int kNoon = 12;
  if (!am && !pm) return hour >= 0 && hour < kHoursOfDay ? std::optional(hour) : std::nullopt;
  if (hour < 1 || hour > kNoon) return std::nullopt;
  return hour % kNoon + (pm ? kNoon : 0);
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

HourlyFigures clean_and_measure(std::vector<Hour> hours, std::optional<double> installed_mw,
                                std::optional<double> firm_mw) {
  HourlyFigures f;
  f.hours = hours.size();
  f.raw_peak_demand_mw = most(hours, &Hour::demand_mw);
  f.demand_dropped = drop_spikes(hours, &Hour::demand_mw);
  f.generation_dropped = drop_spikes(hours, &Hour::generation_mw);
  if (installed_mw) {
    const double limit = kMostOfInstalled * *installed_mw;
    f.generation_above_installed = often_above(hours, &Hour::generation_mw, limit);
    f.generation_dropped += drop(hours, &Hour::generation_mw, limit);
  }
  measure(f, hours);
  if (firm_mw && f.peak_demand_mw) f.firm_surplus_mw = *firm_mw - *f.peak_demand_mw;
  return f;
}

bool figures_differ(const HourlyFigures& figures) {
  std::vector<double> known;
  for (const auto& figure : {figures.peaks_apart_mw, figures.same_hour_mw, figures.firm_surplus_mw})
    if (figure) known.push_back(*figure);
  if (known.size() < 2) return false;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  return *least > 0 ? *most > kFiguresAgreeWithin * *least : *most > 0;
}

std::optional<std::int64_t> hour_of(std::string_view text) {
  const std::vector<int> n = numbers_in(text);
  if (n.size() < 5 || n.size() > 6) return std::nullopt;
  const bool american = text.find('/') != std::string_view::npos;
  const int year = american ? n[2] : n[0];
  const int month = american ? n[0] : n[1];
  const int day = american ? n[1] : n[2];
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  const auto hour =
      hour_of_day(n[3], text.find("AM") != std::string_view::npos, text.find("PM") != std::string_view::npos);
  const bool whole_hour = n[4] == 0 && (n.size() < 6 || n[5] == 0);
  constexpr int kFirstYear = 1970;
  if (!date.ok() || year < kFirstYear || year > 9999 || !hour || !whole_hour) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{kHoursOfDay} + *hour;
}

std::string text_of_hour(std::int64_t utc_hour) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(utc_hour / kHoursOfDay))};
  return fmt::format("{:04}-{:02}-{:02} {:02}:00:00", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     utc_hour % kHoursOfDay);
}

}  // namespace trainyard::grid_import
