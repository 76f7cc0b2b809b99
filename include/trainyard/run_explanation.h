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
  Bytes memory;              // predicted peak of the fullest device
  bool fits = true;          // that peak, into the device
  std::string memory_doubt;  // as a plan would say it; empty where its error leaves room
};

/// A run's prediction term by term; the effects add up to both predictions.
struct RunExplanation {
  MeasuredRun run;
  RunPrediction prediction;
  std::optional<Seconds> measured;
  // Changes that end nearer to the measurement, the nearest first; those without room after all others.
  std::vector<WhatIf> closer;
};

RunExplanation explain_run(const MeasuredRun& run, const Catalog& catalog);

}  // namespace trainyard
