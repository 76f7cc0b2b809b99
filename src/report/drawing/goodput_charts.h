// Charts of a run of months.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/chart.h"

namespace trainyard {

struct GoodputAnswer;
struct MonthsResult;

/// The first run as bars of equal spans of time, coloured by what the job was doing, with tooltips.
std::string months_timeline(const MonthsResult& months);

/// Useful time by spare servers and by the time until failures are seen.
std::vector<Chart> goodput_charts(const GoodputAnswer& answer);

}  // namespace trainyard
