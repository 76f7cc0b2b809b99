// What a prediction is made of, and what would bring it nearer to what was measured.
#pragma once

#include <string>
#include <vector>

#include "trainyard/measured_runs.h"
#include "trainyard/run_prediction.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;

/// One setting changed.
struct WhatIf {
  std::string setting;  // "training.software = \"fsdp\""
  Seconds plan;
};

/// A run's prediction term by term; the effects add up to both predictions.
struct RunExplanation {
  MeasuredRun run;
  RunPrediction prediction;
  std::optional<Seconds> measured;
  std::vector<WhatIf> closer;  // changes that end nearer to the measurement, the nearest first
};

RunExplanation explain_run(const MeasuredRun& run, const Catalog& catalog);

}  // namespace trainyard
