// The time of a step of a measured run, predicted from its shape, its parallelism and its accelerator.
#pragma once

#include "step/measured_runs.h"

namespace trainyard {

struct RunPrediction {
  Seconds step;
};

/// Predicts a run without looking at what it measured.
RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog);

}  // namespace trainyard
