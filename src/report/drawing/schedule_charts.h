// Charts of a schedule.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/chart.h"

namespace trainyard {

struct ScheduleAnswer;

/// The operator's chart: devices by use over time, and below it those that the queue asks for.
std::string schedule_in_time(const ScheduleAnswer& answer);

/// Waits and slow-downs by size, fragmentation and contention over time.
std::vector<Chart> schedule_charts(const ScheduleAnswer& answer);

}  // namespace trainyard
