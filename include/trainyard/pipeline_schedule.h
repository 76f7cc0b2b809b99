// The pipeline schedules of [step] by name.
#pragma once

namespace trainyard {

/// In which order a stage makes its passes.
enum class PipelineSchedule {
#define TRAINYARD_SCHEDULE(schedule, key, sentence) schedule,
#include "trainyard/registries/pipeline_schedules.def"
};

}  // namespace trainyard
