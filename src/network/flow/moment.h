// Moments of flows in whole picoseconds.
#pragma once

#include <fmt/core.h>

#include <cstdint>

#include "network/flow/flow_simulation.h"
#include "workload/workload.h"

namespace trainyard::flow {

/// When something happens to a flow; kNever for kForever. Throws InputError behind the end of simulated time,
/// where the flow stands.
inline Picoseconds moment(Seconds time, const workload::Workload& workload, std::uint32_t flow) {
  if (time == kForever) return kNever;
  if (time > workload::kHorizon)
    workload::fail_horizon(workload, flow, fmt::format("a flow begins or ends at {:.3g} s", time.si()));
  return picoseconds(time);
}

}  // namespace trainyard::flow
