// Measured runs beside their predictions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parallel/peak_memory.h"
#include "step/measured_runs.h"

namespace trainyard {

/// What one run measured and what is predicted for it.
struct ValidatedRun {
  MeasuredRun run;
  std::optional<double> measured;  // in the unit of the run's metric, file_unit(run.metric); blank: nothing
  double predicted = 0;
  std::optional<Seconds> measured_step;
  Seconds predicted_step;
  double vote = 0;  // in means by votes: one, shared by the runs of a configuration; 0: does not count
  std::optional<Bytes> memory_measured;  // peak of a device
  std::optional<Bytes> memory_predicted;

  /// Predicted over measured, less one, in percent; of a run that measured something.
  std::optional<double> error_pct() const {
    if (!measured) return std::nullopt;
    return (predicted / *measured - 1) * 100;
  }
  std::optional<double> memory_error_pct() const {
    if (!memory_measured) return std::nullopt;
    return (*memory_predicted / *memory_measured - 1) * 100;
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
  ErrorSummary all;                     // of the runs that count: measured, and not left out
  ErrorSummary memory;                  // of the runs that measured it
  std::vector<SourceErrors> held_out;   // each source by constants that were fitted without its runs
  ErrorSummary held_out_all;
};

/// Predicts every run (step/run_prediction.h, parallel/peak_memory.h) and compares; then each source again by
/// constants fitted on the shipped runs of all other sources (step/calibration_fit.h). Runs without a
/// measured value are predicted alone.
Validation validate_runs(const std::vector<MeasuredRun>& runs, const Catalog& catalog);

/// The run's cut, as peak_memory takes it.
PeakMemory predicted_memory(const MeasuredRun& run);

}  // namespace trainyard
