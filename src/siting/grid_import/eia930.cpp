// EIA-930: the six-month files EIA930_BALANCE_*.csv of the Hourly Electric Grid Monitor.
#include <fmt/core.h>

#include <algorithm>

#include "siting/grid_import/originals.h"
#include "siting/grid_import/table.h"

namespace trainyard::grid_import {
namespace {

enum Column : std::size_t { kAuthority, kUtc, kDemand, kGeneration, kRegion };

TableFormat balance_format(bool adjusted) {
  const std::string suffix = adjusted ? " (Adjusted)" : "";
  return {.what = "EIA-930 BALANCE",
          .columns = {{"Balancing Authority"},
                      {"UTC Time at End of Hour"},
                      {"Demand (MW)" + suffix},
                      {"Net Generation (MW)" + suffix},
                      {"Region", false}},
          .advice = "expected: EIA930_BALANCE_YYYY_Jan_Jun.csv or EIA930_BALANCE_YYYY_Jul_Dec.csv"};
}

struct PlacedHour {
  Hour hour;
  Place place;
};

class Hours {
 public:
  Hours(std::optional<std::int64_t> from, std::optional<std::int64_t> to, Journal& journal)
      : from_(from), to_(to), journal_(journal) {}

  void add(TableRow& row, HourlyOperations& all) {
    const std::string authority(row.required_text(kAuthority));
    const auto time = row.required_text(kUtc);
    const auto hour = hour_of(time);
    if (!hour && !time.empty())
      row.complain(kUtc, fmt::format("'{}' is not the end of an hour", time),
                   "such as 07/16/2024 10:00:00 PM");
    const Bounds any{-kMostHour_mw, kMostHour_mw, "MW"};
    const auto demand = row.number(kDemand, any);
    const auto generation = row.number(kGeneration, any);
    if (row.bad() || !hour || (from_ && *hour < *from_) || (to_ && *hour > *to_)) return;
    hours_[authority].push_back({{*hour, demand, generation}, row.place(kUtc)});
    if (!row.text(kRegion).empty()) all.region[authority] = row.text(kRegion);
  }

  /// In order of time; an hour that stands twice is a bad row.
  void move_into(HourlyOperations& all) {
    for (auto& [authority, hours] : hours_) {
      std::stable_sort(hours.begin(), hours.end(), [](const PlacedHour& a, const PlacedHour& b) {
        return a.hour.utc_hour < b.hour.utc_hour;
      });
      auto& kept = all.by_authority[authority];
      for (std::size_t i = 0; i < hours.size(); ++i) {
        if (i > 0 && hours[i].hour.utc_hour == hours[i - 1].hour.utc_hour) {
          journal_.bad_row(hours[i].place, fmt::format("hour {} UTC of {} stands twice, first in {}",
                                                       text_of_hour(hours[i].hour.utc_hour), authority,
                                                       text_of(hours[i - 1].place)));
          continue;
        }
        kept.push_back(hours[i].hour);
      }
    }
  }

 private:
  std::optional<std::int64_t> from_;
  std::optional<std::int64_t> to_;
  Journal& journal_;
  std::map<std::string, std::vector<PlacedHour>> hours_;
};

}  // namespace

HourlyOperations read_eia930(const std::vector<std::string>& paths, bool adjusted,
                             std::optional<std::int64_t> from, std::optional<std::int64_t> to,
                             Journal& journal) {
  HourlyOperations all;
  Hours hours(from, to, journal);
  const TableFormat format = balance_format(adjusted);
  for (const std::string& path : paths)
    read_table(format, path, journal, [&](TableRow& row) { hours.add(row, all); });
  hours.move_into(all);
  return all;
}

}  // namespace trainyard::grid_import
