// What of a step is exposed communication, with its error bar, in words.
#pragma once

#include <string>

#include "trainyard/plan/step.h"
#include "trainyard/units.h"

namespace trainyard {

/// "10.3% (7.9% to 13.3%)"; without an interval of the step the share alone.
std::string exposed_with_interval(const Interval& step, double share);

/// "140 ms to 210 ms, 7.9% to 13.3% of a step"
std::string exposed_range_text(Seconds step, const Interval& interval, double share);

/// "170 ms = 10.3%, 80% interval ...": with the range where there is one.
std::string exposed_of_step_text(Seconds step, const Interval& interval, double share);

}  // namespace trainyard
