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
  double measured = 0;  // in the unit of the run's metric, file_unit(run.metric)
  double predicted = 0;
  Seconds measured_step;
  Seconds predicted_step;
  std::optional<Bytes> memory_measured;  // peak of a device, where the row's note gives it
  std::optional<Bytes> memory_predicted;

  /// Predicted over measured, less one, in percent.
  double error_pct() const { return (predicted / measured - 1) * 100; }
  std::optional<double> memory_error_pct() const {
    if (!memory_measured) return std::nullopt;
    return (*memory_predicted / *memory_measured - 1) * 100;
  }
};

/// Errors of several runs, in percent.
struct ErrorSummary {
  std::size_t runs = 0;
  double mean_abs = 0;
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
  ErrorSummary all;
  ErrorSummary memory;                 // of the runs that measured it
  std::vector<SourceErrors> held_out;  // each source by constants that were fitted without its runs
  ErrorSummary held_out_all;
};

/// Predicts every run (step/run_prediction.h, parallel/peak_memory.h) and compares; then each source again by
/// constants fitted on the shipped runs of all other sources (step/calibration_fit.h).
Validation validate_runs(const std::vector<MeasuredRun>& runs, const Catalog& catalog);

/// The run's cut, as peak_memory takes it.
PeakMemory predicted_memory(const MeasuredRun& run);

}  // namespace trainyard
