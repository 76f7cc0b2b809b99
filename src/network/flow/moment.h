// Moments of flows in whole picoseconds.
#pragma once

#include <fmt/core.h>

#include "base/errors.h"
#include "network/flow/flow_simulation.h"
#include "workload/workload.h"

namespace trainyard::flow {

/// When something happens to a flow; kNever for kForever. Throws InputError behind the end of simulated time.
inline Picoseconds moment(Seconds time) {
  if (time == kForever) return kNever;
  if (time > workload::kHorizon)
    fail_input(whole("simulation"), fmt::format("a flow begins or ends at {:.3g} s", time.si()),
               fmt::format("simulated time ends at {:.3g} s: smaller flows or higher rates",
                           workload::kHorizon.si()));
  return picoseconds(time);
}

}  // namespace trainyard::flow
