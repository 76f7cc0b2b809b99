// A simulated step as charts.
#pragma once

#include "trainyard/report/chart.h"

namespace trainyard {

struct StepSimulation;
struct StepTimeline;

/// Memory of a device of some stages over the step: the most in each of some hundred spans of time.
Chart memory_chart(const StepSimulation& step);

/// What is in use over the step, of all devices.
Chart busy_chart(const StepTimeline& timeline);

}  // namespace trainyard
