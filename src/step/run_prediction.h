// The time of a step of a measured run, predicted from its shape, its parallelism and its accelerator.
#pragma once

#include "step/measured_runs.h"

namespace trainyard {

struct RunPrediction {
  Seconds step;
};

/// The constants of a run's accelerator; the defaults of Calibration where the catalog has none.
const Calibration& calibration_of(const MeasuredRun& run, const Catalog& catalog);

/// Predicts a run without looking at what it measured.
RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog);

/// The same with other constants.
RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog, const Calibration& calibration);

}  // namespace trainyard
