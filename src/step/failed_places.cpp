#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "base/whole_numbers.h"
#include "scenario/step_faults.h"
#include "step/replica_classes.h"
#include "trainyard/errors.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

FailedPlaces failed_places(const StepFailureInput& failure, const MappingPlan& m) {
  if (failure.stage >= m.pipeline) {
    fail_input(place_of(failure.places, "stage"),
               fmt::format("step_failure.stage = {} of {}", failure.stage, counted(m.pipeline, "stage")),
               fmt::format("allowed: 0 to {}", m.pipeline - 1));
  }
  if (failure.replica + failure.replicas > m.data) {
    fail_input(place_of(failure.places, "replica"),
               fmt::format("step_failure: replicas {} to {} of {}", failure.replica,
                           failure.replica + failure.replicas - 1, m.data),
               fmt::format("replicas are numbered 0 to {}", m.data - 1));
  }
  FailedPlaces out{failure.stage, failure.stage + 1, failure.replica, failure.replica + failure.replicas};
  if (whose(failure.what) != FaultOf::domain) return out;
  out.replica = rounded_down(out.replica, m.local_replicas);
  out.end_replica = std::min(m.data, rounded_up(out.end_replica, m.local_replicas));
  if (m.placement == Placement::consecutive_layers) {
    const std::int64_t held = std::min(m.groups_per_domain, m.pipeline);
    out.stage = rounded_down(out.stage, held);
    out.end_stage = std::min(m.pipeline, out.stage + held);
  }
  return out;
}

}  // namespace trainyard
