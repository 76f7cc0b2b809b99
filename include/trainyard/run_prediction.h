// What plan and step answer for a measured run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/plan.h"
#include "trainyard/step_effect.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;
struct MeasuredRun;

/// A prediction of one run by both models; nothing by the timeline where it refuses the step.
struct RunPrediction {
  Plan plan;
  Seconds step;                     // closed form
  std::optional<Seconds> timeline;  // simulated
  std::string why_no_timeline;
  std::vector<StepEffect> effects;    // without a timeline, of the plan alone
  bool fits = true;                   // by the predicted memory
  std::string memory_doubt;           // as a plan would say it; empty where its error leaves room
  std::vector<std::string> warnings;  // settings that change nothing, a row's by its columns
};

RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog, bool with_timeline = false);

}  // namespace trainyard
