// Hourly demand and net generation of a balancing authority: cleaning, and how much power is to spare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::grid_import {

/// One hour of EIA-930, by the hour's end. Empty: not reported.
struct Hour {
  std::int64_t utc_hour = 0;  // since 1970-01-01 00:00 UTC
  std::optional<double> demand_mw;
  std::optional<double> generation_mw;
};

/// What was found in the hours of an authority.
struct HourlyFigures {
  std::size_t hours = 0;
  std::size_t demand_dropped = 0;
  std::size_t generation_dropped = 0;
  std::optional<double> raw_peak_demand_mw;
  std::optional<double> peak_demand_mw;  // of what is left, as all below
  std::int64_t peak_utc_hour = 0;
  std::optional<double> mean_demand_mw;
  std::optional<double> peak_generation_mw;
  std::optional<double> peaks_apart_mw;     // max NG - max D, as HotNets '24 Table 1
  std::optional<double> same_hour_mw;       // max over hours of (NG - D)
  std::optional<double> firm_surplus_mw;    // firm installed - max D
  bool generation_above_installed = false;  // the plants are not those of these hours
};

/// Median of the values; the mean of the middle two of an even number. There must be one.
double median(std::vector<double> values);

/// Drops demand and generation that cannot be, each for itself: not above 0; above 5 times the median of what
/// is above 0; an hour that stands over 15 percent above the hour before and the hour after; up to six hours
/// that stand over half above the hour before and the hour after them. Generation also where it is above 1.1
/// times what the authority has installed (where that is known); demand is not, as an authority may live on
/// imports. The hours must be in order of time, none twice; missing ones are not bridged.
HourlyFigures clean_and_measure(std::vector<Hour> hours, std::optional<double> installed_mw,
                                std::optional<double> firm_mw);

/// The figures disagree: the largest is over twice the smallest, or one is not above 0 where another is.
bool figures_differ(const HourlyFigures& figures);

/// Hours since 1970 of "MM/DD/YYYY hh:mm:ss AM", "MM/DD/YYYY hh:mm" or "YYYY-MM-DD hh:mm[:ss]"; empty when
/// it is none of them or no whole hour.
std::optional<std::int64_t> hour_of(std::string_view text);

/// "YYYY-MM-DD hh:00:00" of hours since 1970.
std::string text_of_hour(std::int64_t utc_hour);

}  // namespace trainyard::grid_import
