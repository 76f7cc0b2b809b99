// Sums and shares of the times that computing waits for transfers.
#pragma once

#include "step/graph.h"
#include "trainyard/step_timeline.h"
#include "trainyard/units.h"

namespace trainyard {

/// Adds so many times `more`.
void add_exposed(ExposedTimes& to, const ExposedTimes& more, double times = 1);

/// What transfers beside compute cost of its time.
ExposedTimes exposed_of(const Slowed& slowed);

ExposedTimes divided(const ExposedTimes& times, double by);

/// Each kind in proportion, so that they are no longer than `waiting` together: a chain over other stages may
/// hold transfers beside which this one computed.
ExposedTimes limited(const ExposedTimes& times, Seconds waiting);

}  // namespace trainyard
