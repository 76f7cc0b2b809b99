// What plan and step answer for a measured run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/plan.h"
#include "validation/measured_runs.h"

namespace trainyard {

/// A run's question with all that does not depend on constants: fits evaluate it thousands of times.
class RunCase {
 public:
  /// Throws InputError when the scenario cannot hold the run, Infeasible when its devices cannot hold a
  /// replica.
  RunCase(const MeasuredRun& run, const Catalog& catalog);

  /// The plan by the catalog's constants, or by others. The run happened: memory that seems short is a
  /// warning, not a refusal.
  const Plan& plan() const { return plan_; }
  /// With these constants, and the accelerator's own operators.
  Seconds step(const Calibration& calibration);
  bool fits() const;

 private:
  void evaluate();

  Plan plan_;
  std::shared_ptr<Catalog> catalog_;  // the run's own, so that constants may change
};

/// A part of a step's time by both models; the parts add up to the whole.
struct StepEffect {
  std::string what;  // "tensor"
  Seconds plan;
  Seconds step;
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
