// How fast a site's power changes, because all devices do the same at once.
#pragma once

#include <vector>

#include "operation/site_power.h"
#include "trainyard/operation.h"
#include "trainyard/step_timeline.h"

namespace trainyard::operation {

/// Within a step, at checkpoints that stop training, when training starts or stops.
struct SwingCase {
  const SitePower& power;
  const StepTimeline& step;
  std::optional<Watts> limit_per_minute;
  Seconds checkpoint_stall;
  Seconds checkpoint_interval;
  double trains = 1;            // share of the time
  double failures_per_day = 0;  // that stop training, were it all the time
  double stops_per_day = 0;     // others; it starts as often
};

/// Power in the equal spans of a step.
std::vector<Watts> power_of_step(const SitePower& power, const StepTimeline& step);

std::vector<PowerSwing> swings_of(const SwingCase& c);

}  // namespace trainyard::operation
