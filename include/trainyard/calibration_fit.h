// Fits the constants of the calibrated compute model on measured runs.
//
// Least squares of ln(predicted / measured), each over 3%, and of ln(constant / prior), each over the width
// that its constant may move; both with the soft-l1 loss, so that no single run decides. Runs of one
// configuration share a vote. The priors ("<key>-prior") know nothing of the shipped runs, so that a held-out
// source leaves no trace in them; they were fitted in the same way, on MLPerf Training, from what operators
// alone were measured to reach ("<key>-operators").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/catalog.h"
#include "trainyard/range.h"

namespace trainyard {

struct MeasuredRun;

/// A constant that is fitted and how far it may move, as a standard deviation of its logarithm.
struct FittedConstant {
  std::string name;
  double width = 0;
  Range range;  // that a catalog allows
  double (*get)(const Calibration&) = nullptr;
  void (*set)(Calibration&, double value) = nullptr;
};

const std::vector<FittedConstant>& fitted_constants();

/// Whether a run takes part in fits: rows without a measured value, that are left out or that are quoted from
/// memory do not.
bool fits_on(const MeasuredRun& run);

/// The prior with its constants moved to fit the runs, all of which are on accelerators of one calibration.
/// `freedom`: factor of the widths.
Calibration fit_calibration(const Calibration& prior, double freedom, const std::vector<MeasuredRun>& runs,
                            const Catalog& catalog);

/// Where fits start: the entry of a calibration's key and this suffix.
inline constexpr const char* kPriorSuffix = "-prior";
inline constexpr const char* kOperatorsSuffix = "-operators";

/// The catalog with every calibration that has a prior fitted anew on the runs. With a source to leave out:
/// the calibrations that its runs took part in, without them; where nothing else speaks for one, its prior.
Catalog fitted_catalog(const Catalog& catalog, const std::vector<MeasuredRun>& runs,
                       const std::optional<std::string>& without_source = {},
                       const std::string& prior_suffix = kPriorSuffix);

/// Every calibration that has a prior, as the tables of a catalog file: what was fitted from operators is the
/// prior. `fitted_on` names the runs.
std::string calibration_tables(const Catalog& catalog, const std::string& fitted_on,
                               const std::string& prior_suffix = kPriorSuffix);

/// Tables of a catalog file for runs of a user's own: every set that counted runs are predicted with, fitted
/// on these. A set without a shipped prior starts from itself, an accelerator without a set from general
/// constants under its own key, and what it started from is written beside it. No other set is written: what
/// others were fitted on stays. Throws InputError where no run counts.
std::string fitted_on_runs(const Catalog& catalog, const std::vector<MeasuredRun>& runs,
                           const std::string& fitted_on, const std::string& prior_suffix = kPriorSuffix);

}  // namespace trainyard
