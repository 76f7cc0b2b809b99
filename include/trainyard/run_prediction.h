// What plan and step answer for a measured run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

struct MeasuredRun;

/// A part of a step's time by both models; the parts add up to the whole.
struct StepEffect {
  std::string what;  // "tensor"
  Seconds plan;
  Seconds step;
  bool is_transfer = false;  // else compute, with what waits for it, or the optimizer
};

/// A prediction of one run by both models; nothing by the timeline where it refuses the step.
struct RunPrediction {
  Plan plan;
  Seconds step;                     // closed form
  std::optional<Seconds> timeline;  // simulated
  std::string why_no_timeline;
  std::vector<StepEffect> effects;  // without a timeline, of the plan alone
  bool fits = true;                 // by the predicted memory
};

RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog, bool with_timeline = false);

}  // namespace trainyard
