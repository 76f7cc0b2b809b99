// A measured run's question, for fits.
#pragma once

#include <memory>

#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;
struct MeasuredRun;

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

}  // namespace trainyard
