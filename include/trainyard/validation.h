// Measured runs beside their predictions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/measured_runs.h"
#include "trainyard/plan/step.h"
#include "trainyard/step_effect.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;

/// What one run measured and what plan and step answer for it.
struct ValidatedRun {
  MeasuredRun run;
  std::string refused;              // why nothing is predicted; "" as a rule
  std::optional<double> measured;   // in the unit of the run's metric, file_unit(run.metric); blank: nothing
  std::optional<double> predicted;  // the same, by plan
  std::optional<Seconds> measured_step;
  std::optional<Seconds> plan;  // closed form
  std::optional<Seconds> step;  // simulated timeline
  std::string why_no_step;
  std::vector<StepEffect> effects;  // of both, adding up
  Interval interval;                // of both, over the predicted value
  double vote = 0;  // in means by votes: one, shared by the runs of a configuration; 0: does not count
  std::optional<Bytes> memory_measured;  // peak of a device
  std::optional<Bytes> memory_predicted;
  Interval memory_interval;
  std::optional<bool> fits;  // by the predicted memory; blank: nothing is predicted
  std::string memory_doubt;  // as a plan of the run's scenario says it; empty where its error leaves room
  std::vector<std::string> warnings;  // what it says and nothing of its prediction depends on

  /// Whether it has an error.
  bool counts() const { return run.counts() && plan.has_value(); }
  /// Predicted over measured step time, less one, in percent; of a run that measured something.
  std::optional<double> plan_error_pct() const { return error_pct(plan); }
  std::optional<double> step_error_pct() const { return error_pct(step); }
  std::optional<double> memory_error_pct() const {
    if (!memory_measured || !memory_predicted) return std::nullopt;
    return (*memory_predicted / *memory_measured - 1) * 100;
  }

 private:
  std::optional<double> error_pct(const std::optional<Seconds>& predicted_step) const {
    if (!measured_step || !predicted_step) return std::nullopt;
    return (*predicted_step / *measured_step - 1) * 100;
  }
};

/// Errors of several runs, in percent. Means give each run a vote, or each distinct configuration.
struct ErrorSummary {
  std::size_t runs = 0;
  double votes = 0;
  double mean_abs = 0;
  double mean_abs_by_votes = 0;
  double median_abs = 0;
  double worst = 0;  // the one furthest from zero, with its sign
  std::string worst_id;
};

struct SourceErrors {
  std::string source;
  ErrorSummary errors;
};

struct Validation {
  std::vector<ValidatedRun> runs;
  std::vector<SourceErrors> by_source;  // in the order in which sources appear
  ErrorSummary all;                     // of plan on the runs that count: measured, and not left out
  ErrorSummary all_step;                // of step on them
  ErrorSummary memory;                  // of the runs that measured it
  std::vector<SourceErrors> held_out;   // each source by constants that were fitted without its runs;
                                        // of constants of a user's own nobody knows
  ErrorSummary held_out_all;
};

/// Makes each run a scenario, answers it by plan and step (validation/run_prediction.h) and compares; then
/// each source again by constants fitted on the shipped runs of all other sources
/// (validation/calibration_fit.h). Runs without a measured value are predicted alone.
Validation validate_runs(const std::vector<MeasuredRun>& runs, const Catalog& catalog);

}  // namespace trainyard
