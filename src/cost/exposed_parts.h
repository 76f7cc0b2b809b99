// What of a step in closed form is exposed communication, by kind, and what is fill and drain.
#pragma once

#include "trainyard/units.h"

namespace trainyard {

struct MappingPlan;
struct StepTimes;

/// Of a step with fill and drain. A part of the slowest stage's pace counts for every microbatch and, in the
/// same proportion, while the others fill and drain, since those wait for it too; what of that is not
/// transfers is fill and drain. All wait for the slowest server.
struct ExposedParts {
  Seconds tensor;
  Seconds context;
  Seconds pipeline;
  Seconds expert;
  Seconds weights;
  Seconds gradient;
  Seconds offload;
  Seconds bubble;
  Seconds exposed() const { return tensor + context + pipeline + expert + weights + gradient + offload; }
};
ExposedParts exposed_parts(const StepTimes& step, const MappingPlan& mapping);

}  // namespace trainyard
